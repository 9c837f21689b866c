import { randomUUID } from 'node:crypto'
import { contractSettings } from '../account.ts'
import { type ContractDraft, setPositionMode } from '../contract-order.ts'
import type { SignedCall } from '../family.ts'
import { OrderRejectedError } from '../order-shelf.ts'
import type { Force } from '../spot-book.ts'
import type { Exit } from '../trigger-book.ts'
import { FuturesRejection, futuresProblems, modeInTheWay } from './futures-family.ts'
import { contractNamed, contractRulesOf } from './futures-views.ts'

/** What plain orders, trigger orders and trailing orders have in common. */
export const DRAFT_FIELDS = 'symbol side vol leverage openType positionMode reduceOnly'
export const EXIT_FIELDS = 'stopLossPrice takeProfitPrice lossTrend profitTrend priceProtect'

const EXTERNAL_OID_MAX = 32

interface Direction {
  readonly side: 'buy' | 'sell'
  readonly slot: 'long' | 'short'
  readonly isClosing: boolean
}

const directions: Readonly<Record<number, Direction>> = {
  1: { side: 'buy', slot: 'long', isClosing: false },
  2: { side: 'buy', slot: 'short', isClosing: true },
  3: { side: 'sell', slot: 'short', isClosing: false },
  4: { side: 'sell', slot: 'long', isClosing: true },
}

// 6 is "convert market to current price" in older documentation; it trades as 5 does.
const forces: Readonly<Record<number, Force>> = {
  1: 'gtc',
  2: 'post-only',
  3: 'ioc',
  4: 'fok',
  5: 'ioc',
  6: 'ioc',
}

/**
 * Reads the body of an order (docs/exchanges/mexc-futures.md, 4.5).
 * @param type of the order
 * @throws FuturesRejection
 */
export function toDraft(
  call: SignedCall,
  type = call.params.requiredInteger('type'),
): ContractDraft {
  const { venue, account, params } = call
  const market = contractNamed(venue, params.required('symbol'))
  const rules = contractRulesOf(market)
  const direction = directions[params.requiredInteger('side')]
  if (direction === undefined) throw new FuturesRejection(2001, 'Order side error')
  const force = forces[type]
  if (force === undefined) throw new FuturesRejection(2029, 'Order type error')
  const isMarket = type >= 5
  const price = params.decimal('price')
  if (!isMarket && price === undefined) throw new FuturesRejection(2007, 'Order price error')
  const vol = params.decimal('vol')
  if (vol === undefined) throw new FuturesRejection(2011, 'Order quantity error')
  usePositionMode(call)
  const isOneWay = account.futures.positionMode === 'one-way'
  const reduceOnly = params.choice('reduceOnly', ['true', 'false']) === 'true'
  if (reduceOnly && !isOneWay) throw new OrderRejectedError('position-mode')
  return {
    account,
    market,
    side: direction.side,
    slot: isOneWay ? 'net' : direction.slot,
    isReduceOnly: reduceOnly || direction.isClosing,
    force,
    price: isMarket ? null : (price ?? null),
    size: vol.times(rules.contractSize),
    ...marginOf(call, direction),
    clientId: externalOidOf(call),
    labels: { side: params.required('side'), type: `${type}` },
    exits: {
      takeProfit: exitAt(call, 'takeProfitPrice'),
      stopLoss: exitAt(call, 'stopLossPrice'),
    },
  }
}

function marginOf({ venue, account, params }: SignedCall, { side, isClosing }: Direction) {
  const market = contractNamed(venue, params.required('symbol'))
  const settings = contractSettings(account, market)
  const openType = params.integer('openType')
  if (openType !== undefined && openType !== 1 && openType !== 2) {
    throw new FuturesRejection(2002, 'Open type error')
  }
  const leverage = params.integer('leverage')
  if (openType === 1 && leverage === undefined && !isClosing) {
    throw new FuturesRejection(2006, 'Leverage is required for isolated margin')
  }
  const marginMode =
    openType === undefined ? settings.marginMode : openType === 1 ? 'isolated' : 'cross'
  const set = settings.leverage[marginMode][side === 'buy' ? 'long' : 'short']
  return { leverage: leverage ?? set, marginMode } as const
}

// An order may name the mode. What the real exchange does when the account has another one is not
// documented: here the account follows as long as it holds nothing.
function usePositionMode({ venue, account, params }: SignedCall): void {
  const wanted = params.integer('positionMode')
  if (wanted === undefined) return
  if (wanted !== 1 && wanted !== 2) throw futuresProblems.malformed('positionMode')
  try {
    setPositionMode(venue.contracts, account, wanted === 1 ? 'hedge' : 'one-way')
  } catch (cause) {
    throw Object.assign(modeInTheWay(), { cause })
  }
}

function externalOidOf({ params }: SignedCall): string {
  const externalOid = params.text('externalOid')
  if (externalOid === undefined) return `_m_${randomUUID().replaceAll('-', '')}`
  if (externalOid.length > EXTERNAL_OID_MAX) {
    throw new FuturesRejection(2030, `externalOid is longer than ${EXTERNAL_OID_MAX} characters`)
  }
  return externalOid
}

export function exitAt({ params }: SignedCall, name: string): Exit | null {
  const trigger = params.decimal(name)
  return trigger === undefined || trigger.isZero()
    ? null
    : { trigger, limit: null, watches: 'last' }
}
