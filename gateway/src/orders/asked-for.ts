import { type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import type { AskedFor, Settlement } from '../store/journal-store.ts'
import type { OrderRequest } from './order-request.ts'

/** A longer text is none of an exchange, and PostgreSQL has no place for it in an index. */
const TEXT_MAX = 64

/**
 * What a request asks for, for lists of orders, as its call says it. What differs between several
 * orders of one call is left out.
 * @param named undefined before the call is built, and where it names no order
 */
export function askedFor(
  { jobClass }: Pick<OrderRequest, 'jobClass'>,
  named: OrderKey | undefined,
): AskedFor {
  const all = named === undefined ? [] : ordersOf(named)
  const made = all.filter(({ action }) => action !== 'cancel')
  const orders = made.length === 0 ? all : made
  const one = <Value extends string>(read: (order: OrderKey) => Value | undefined) => {
    const [first, ...others] = orders.map(read)
    const isSame = others.every((other) => other === first)
    return first === undefined || !isSame || first.length > TEXT_MAX ? null : first
  }
  const only = (read: (order: OrderKey) => string | undefined) =>
    orders.length === 1 ? one(read) : null
  return {
    symbol: one(({ symbol }) => symbol),
    side: one(sideOf),
    kind: one(kindOf) ?? (jobClass === 'cancel' ? 'cancel' : null),
    quantity: only(({ terms }) => terms?.size ?? terms?.asked),
    price: only(({ terms }) => terms?.price),
    amount: only(({ terms }) => terms?.spends),
  }
}

/** What the body of a documented order asks for. */
export function askedIn(
  symbol: string,
  side: 'BUY' | 'SELL' | 'buy' | 'sell',
  kind: 'LIMIT' | 'MARKET' | 'limit' | 'market',
  quantity: string,
  price: string | undefined,
): AskedFor {
  const cut = (text: string | undefined) =>
    text === undefined || text.length > TEXT_MAX ? null : text
  return {
    ...{ symbol: cut(symbol), quantity: cut(quantity), price: cut(price), amount: null },
    side: side === 'BUY' || side === 'buy' ? 'buy' : 'sell',
    kind: kind === 'LIMIT' || kind === 'limit' ? 'limit' : 'market',
  }
}

/** MEXC futures: 1 opens a long position, 2 closes a short one, 3 and 4 the other way round. */
const SIDES: Readonly<Record<string, 'buy' | 'sell'>> = {
  ...{ buy: 'buy', sell: 'sell' },
  ...{ 1: 'buy', 2: 'buy', 3: 'sell', 4: 'sell' },
}

function sideOf({ terms }: OrderKey): 'buy' | 'sell' | undefined {
  const word = terms?.side ?? ''
  return Object.hasOwn(SIDES, word) ? SIDES[word] : undefined
}

function kindOf({ action, plan, terms }: OrderKey): NonNullable<AskedFor['kind']> | undefined {
  if (action === 'cancel') return 'cancel'
  if (action === 'modify') return 'change'
  if (plan !== undefined) return 'trigger'
  return terms?.kind === 'limit' || terms?.kind === 'market' ? terms.kind : undefined
}

/** What the order of a request was filled with, as its look-up found it. */
export function fillIn(
  results: readonly OrderResult[],
): Pick<Settlement, 'filled' | 'averagePrice'> {
  const made = results.filter(({ order }) => order.action !== 'cancel' && order.plan === undefined)
  const [only] = made.length === 1 ? made : []
  const { size = null, averagePrice = null } = only?.filled ?? {}
  return { filled: size, averagePrice }
}
