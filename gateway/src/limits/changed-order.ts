import type { ExchangeCode } from 'schema'
import type { CallEffect, OrderEffect, OrderIds } from '../exchanges/call-effect.ts'
import { effectsOf } from '../exchanges/call-effects.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { OrderCall, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'

/** The orders of a client that may work. */
export interface KnownOrders {
  /** How many, from just before they are sent. */
  readonly countOf: (clientRef: number) => number
  /** The client's working orders with all of these ids, in any market. */
  readonly withIds: (
    clientRef: number,
    exchange: ExchangeCode,
    ids: OrderIds,
  ) => readonly { readonly key: OrderKey }[]
}

/** Reads what calls do. */
export class EffectReader {
  readonly #orders: Pick<KnownOrders, 'withIds'>

  constructor(orders: Pick<KnownOrders, 'withIds'>) {
    this.#orders = orders
  }

  /** What a call does, and what follows it. A change is one of an own working order. */
  of(
    { clientRef, exchange }: { readonly clientRef: number; readonly exchange: ExchangeCode },
    { call, follows = [] }: OrderCall,
  ): readonly CallEffect[] {
    return [call, ...follows]
      .flatMap((each) => effectsOf(each))
      .map((effect) => {
        if (effect.kind !== 'order' || effect.changes === undefined) return effect
        const named = this.#orders.withIds(clientRef, exchange, effect.changes)
        return withChangedOrder(
          effect,
          call,
          named.map(({ key }) => key),
        )
      })
  }
}

/** A change, with what the order that it changes is known to be. */
export interface ChangedEffect extends OrderEffect {
  readonly oldSize?: string | undefined
}

/**
 * A change with market, symbol and side of the order that it names: the client's only working order
 * that fits. Of two sides the dearer one counts.
 * @param named the client's working orders with the ids of the change, in any market
 */
function withChangedOrder(
  change: OrderEffect,
  call: UpstreamCall,
  named: readonly OrderKey[],
): Exclude<CallEffect, OrderEffect> | ChangedEffect {
  const meant = named.filter((key) => isMeant(key, change, call))
  // An id that is used again names the orders that ended before, too, until they are removed.
  const [symbol, ...symbols] = new Set(meant.map((key) => upperAscii(key.symbol) ?? change.symbol))
  const [side, ...sides] = new Set(meant.map(sideOf))
  const [market, ...markets] = new Set(meant.map((key) => key.market))
  if (market === undefined || markets.length > 0 || symbols.length > 0) return unknownChange
  const productType = change.productType ?? upperAscii(meant[0]?.productType)
  const [only, ...others] = meant
  const { closes = undefined, terms = {} } = (others.length === 0 && only) || {}
  return {
    ...change,
    closes,
    oldSize: terms.size ?? terms.asked,
    ...(market === 'futures' ? { market, productType } : { market }),
    symbol,
    side: change.side ?? (sides.length === 0 ? side : undefined),
  }
}

/** The side of an order that opens; undefined where the exchange's word for it may mean another. */
function sideOf({ terms }: OrderKey): OrderEffect['side'] {
  const { position, side = '' } = terms ?? {}
  return position === 'close' ? undefined : OPENING_SIDES.get(side)
}

/** MEXC futures opens a long position by 1, and a short one by 3. */
const OPENING_SIDES: ReadonlyMap<string, 'buy' | 'sell'> = new Map([
  ['buy', 'buy'],
  ['sell', 'sell'],
  ['1', 'buy'],
  ['3', 'sell'],
])

/**
 * Whether a change means this order, which has its ids. Another market, product type, trigger list
 * or demo account may have the same ids.
 */
function isMeant(
  { market, symbol, productType, plan, demo, isUnified }: OrderKey,
  change: OrderEffect,
  call: UpstreamCall,
): boolean {
  const isSame = (own: string | undefined, named: string | undefined) =>
    named === undefined || upperAscii(own) === named
  return (
    (change.changes?.isInAnyMarket === true ? isUnified === true : market === change.market) &&
    plan === change.changes?.plan &&
    (demo === true) === (call.demo === true) &&
    isSame(symbol, change.symbol) &&
    isSame(productType, change.productType)
  )
}

const unknownChange: Exclude<CallEffect, OrderEffect> = {
  kind: 'unbounded',
  why: 'its ids do not name exactly one working order of this client in its market and with its symbol',
}

/** The order with symbol and side of the position that its call names by the id alone. */
export function atPosition(effect: ChangedEffect, key: OrderKey | undefined): ChangedEffect {
  const { closes, symbol } = effect
  const named = key?.closes
  if (symbol !== undefined || closes?.positionId === undefined) return effect
  if (key?.symbol === undefined || named?.positionId !== closes.positionId) return effect
  const side = named.inOneWay === 'long' ? 'sell' : 'buy'
  return { ...effect, symbol: upperAscii(key.symbol), side, closes: named }
}

/**
 * A take profit or stop loss that hangs on an order closes what that order opens, or all of a
 * position: it is worth nothing of its own.
 */
export function withoutAttached(effect: ChangedEffect): ChangedEffect {
  return effect.exit === undefined ? effect : { ...effect, exit: undefined }
}

/** Whether it closes, or opens with a take profit or stop loss. */
export function concernsExits(effect: CallEffect): boolean {
  return effect.kind === 'order' && (effect.closes !== undefined || effect.exit !== undefined)
}
