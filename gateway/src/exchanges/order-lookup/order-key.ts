import type { ExchangeCode, Family, Market, UpstreamCall } from '../exchange.ts'
import type { Closing } from '../position-part.ts'
import type { Verdict } from '../protocol/verdict.ts'

/**
 * Which order a call is about, and what it does to it: what has to be known to find out later what
 * became of it. A call about several holds the keys of all of them. Survives JSON, so that it can
 * be written down before the call is sent.
 */
export interface OrderKey {
  readonly exchange: ExchangeCode
  readonly family: Family
  readonly market: Market
  readonly action: 'place' | 'cancel' | 'modify'
  /** As the call names it; absent where it names none. */
  readonly symbol?: string | undefined
  /** Bitget futures; for the unified account its category. */
  readonly productType?: string | undefined
  /** Of the order that is placed, of the one that a change makes, or of the one to cancel. */
  readonly clientOrderId?: string | undefined
  /** The exchange's own id of the order to cancel or to change. */
  readonly orderId?: string | undefined
  /** Of a change that makes another order: the client order id of the one that goes. */
  readonly oldClientOrderId?: string | undefined
  /**
   * What the order that the call makes is to do: one with its id that does otherwise is another
   * one.
   */
  readonly terms?: OrderTerms | undefined
  /** What the order closes, as in OrderEffect. Absent in keys of earlier versions. */
  readonly closes?: Closing | undefined
  /** MEXC futures: the call says that the account has one position a symbol. */
  readonly isOneWay?: boolean | undefined
  /**
   * The order cannot have been made before, exchange time: an earlier try of it may exist although
   * it was turned away. When absent, its sending.
   */
  readonly notBeforeMs?: number | undefined
  /**
   * Of the call, exchange time: an exchange that turns a try away may have taken it. When absent,
   * its last sending.
   */
  readonly firstSentAtMs?: number | undefined
  /**
   * A trigger order, which is in lists of its own. Of Bitget: the type by which those of futures
   * are asked for, `spot` or `strategy`. Of MEXC futures: `planorder`, `stoporder`, `trackorder`.
   */
  readonly plan?: string | undefined
  /** Which kind of stop loss or take profit of Bitget futures it is: a cancel has to name it. */
  readonly planType?: string | undefined
  /** A limit order that fills at once or never. */
  readonly isImmediate?: boolean | undefined
  /** Which end of a position a trigger order is, in a call that names both. */
  readonly leg?: string | undefined
  /** Bitget's unified account (v3), which is asked at other places. */
  readonly isUnified?: boolean | undefined
  /** Of a change: by this the exchange names it in what it pushes. */
  readonly changeId?: string | undefined
  /** A change that makes no other order: the order keeps its ids. */
  readonly isInPlace?: boolean | undefined
  /**
   * The kind of the account has changed since the order was sent: an order that is not found may
   * still exist.
   */
  readonly hasMoved?: boolean | undefined
  /** It may be in lists that are not asked for: an order that is not found may still exist. */
  readonly isUnlisted?: boolean | undefined
  /**
   * It opens, and a take profit or stop loss hangs on it: nobody reports when that has closed what
   * the order opened.
   */
  readonly hasAttachedExit?: boolean | undefined
  /**
   * In the journal alone: nothing can be looked up of the request, and this is what it may have
   * closed.
   */
  readonly isUnfindable?: true | undefined
  /** Bitget's demo account, where the order has to be looked for too. */
  readonly demo?: boolean | undefined
  /**
   * Of a call about several orders, in their order; of one that replaces, the old order and the new
   * one.
   */
  readonly orders?: readonly OrderKey[] | undefined
  /** How the response to a call about several is written; absent where it is about one. */
  readonly several?: SeveralForm | undefined
}

/**
 * What an order is to do, as far as an exchange repeats it with the order. Texts that compare as
 * they are: words in lower case, decimals written one way. Survives JSON.
 */
export interface OrderTerms {
  readonly side?: string | undefined
  /** Bitget futures: `open` or `close`; on its unified account `long` or `short`. */
  readonly position?: string | undefined
  readonly kind?: string | undefined
  readonly price?: string | undefined
  readonly size?: string | undefined
  /** The price that a trigger order waits for. */
  readonly trigger?: string | undefined
  /** The size that was asked for where the exchange may write another. Not compared. */
  readonly asked?: string | undefined
  /** The quote amount of a market buy. Not compared. */
  readonly spends?: string | undefined
}

/**
 * A call, and the order that it is about; undefined where it names none, or none that can be found.
 */
export interface OrderCall {
  readonly call: UpstreamCall
  readonly order: OrderKey | undefined
  /** Calls that the gateway makes by itself once the order is placed. */
  readonly follows?: readonly UpstreamCall[]
}

export interface FoundOrder {
  readonly orderId: string
  readonly clientOrderId?: string | undefined
  /**
   * `partially-filled` still trades; an order that traded and was then cancelled is `cancelled`.
   */
  readonly state: 'open' | 'filled' | 'partially-filled' | 'cancelled' | 'rejected'
  /** Decimal; base coin, on MEXC futures contracts. */
  readonly filledSize?: string | undefined
  /** Decimal; absent where the exchange does not say it, or nothing was filled. */
  readonly averagePrice?: string | undefined
  /** The order does not have what a change in place asked for. */
  readonly isUnchanged?: boolean | undefined
  /** The order as the exchange wrote it; numbers that a double cannot hold are text. */
  readonly order?: Readonly<Record<string, unknown>> | undefined
}

/** What became of an order: `absent` when it is proven to be nowhere. */
export type OrderEnd = FoundOrder | 'absent'

/** An order of a call, and what became of it. */
export interface EndedOrder {
  readonly order: OrderKey
  readonly end: OrderEnd
}

/** One question to the exchange on the way to finding an order. */
export interface Lookup {
  readonly call: UpstreamCall
  /** `absent`: proven not to be at this place. `unclear`: the response proves nothing. */
  readonly read: (verdict: Verdict) => FoundOrder | 'absent' | 'unclear'
  /** The question that must follow before `read` counts: a list may have another page. */
  readonly next?: (verdict: Verdict) => Lookup | undefined
}

/**
 * Whether an order that was found can be the one that was sent. `other` is proven: no exchange
 * turns an order's side round, but that of a Bitget order that closes, which names the position.
 * Any other difference makes it `doubtful`: what an exchange rounds or rewrites is not documented
 * completely.
 */
export function compareTerms(sent: OrderTerms, found: OrderTerms): 'same' | 'other' | 'doubtful' {
  const differs = (name: keyof OrderTerms) =>
    sent[name] !== undefined && found[name] !== undefined && sent[name] !== found[name]
  if (differs('side') && sent.position !== 'close') return 'other'
  const isSame = !(['side', 'position', 'kind', 'price', 'size', 'trigger'] as const).some(differs)
  return isSame ? 'same' : 'doubtful'
}

/**
 * Whether an order may stay open. On MEXC spot that is said of IOC and FOK too, which it may take
 * for an order that rests (docs/exchanges/mexc.md, 3.3).
 */
export function mayRest({ plan, terms, isImmediate }: OrderKey): boolean {
  return plan !== undefined || (terms?.kind !== 'market' && isImmediate !== true)
}

/** The orders that a call is about, one or several. */
export function ordersOf(order: OrderKey): readonly OrderKey[] {
  return order.orders ?? [order]
}

/** How many those are, as far as the call names them. */
export function countOf(order: OrderKey | undefined): number {
  return order === undefined ? 1 : ordersOf(order).length
}

/**
 * An idempotency key is free again after a day at the earliest (LOG_RETENTION_DAYS): what stood
 * under its id before is another order.
 */
const EARLIER_TRIES_MS = 23 * 3_600_000

/**
 * The key with the time before which its orders cannot have been made.
 * @param ownId the id that the gateway makes for the call, the same for the same idempotency key:
 * under it stands the one that is looked for, whichever request made it
 */
export function datedOrderKey(order: OrderKey, ownId: string, firstSentAtMs: number): OrderKey {
  const { orders } = order
  if (orders !== undefined)
    return { ...order, orders: orders.map((each) => datedOrderKey(each, ownId, firstSentAtMs)) }
  const earlierTriesMs = isOwnId(order.clientOrderId, ownId) ? EARLIER_TRIES_MS : 0
  return { ...order, firstSentAtMs, notBeforeMs: firstSentAtMs - earlierTriesMs }
}

/**
 * Whether an order has the id that the gateway made for its call, as the only one or as one of
 * several.
 */
export function isOwnId(clientOrderId: string | undefined, ownId: string): boolean {
  return clientOrderId === ownId || clientOrderId?.startsWith(`${ownId}-`) === true
}

/**
 * What a found order says about the call. An order that the exchange took in and then declared
 * invalid was not placed. A change of MEXC futures finds only the old order, which proves by being
 * open that it was not replaced.
 */
export function outcomeOf(order: OrderKey, end: OrderEnd): 'done' | 'not-done' {
  if (end === 'absent') return 'not-done'
  if (order.action === 'cancel') return end.state === 'cancelled' ? 'done' : 'not-done'
  if (order.isInPlace === true) return end.isUnchanged === true ? 'not-done' : 'done'
  const isOldOrder = order.action === 'modify' && order.clientOrderId === undefined
  return isOldOrder || end.state === 'rejected' ? 'not-done' : 'done'
}

/**
 * How a call about several orders is answered: in Bitget's `successList` and `failureList`, entry
 * by entry, with the order that took another one's place, which is about two orders, or with the
 * two legs of a position's end.
 */
export type SeveralForm = 'two-lists' | 'entries' | 'replacement' | 'replacements' | 'legs'

interface NotDone {
  readonly class: 'order-not-found' | 'order-state'
  /** In the gateway's own words: the exchange's were lost. */
  readonly text: string
}

/** Why an entry of a call about several orders was not carried out; undefined when it was. */
export function notDoneOf({ order, end }: EndedOrder): NotDone | undefined {
  if (outcomeOf(order, end) === 'done') return undefined
  const what = order.action === 'cancel' ? 'cancelled' : 'placed'
  const seen = end === 'absent' ? 'neither open nor in the history' : end.state
  return {
    class: order.action === 'cancel' && end !== 'absent' ? 'order-state' : 'order-not-found',
    text: `Not ${what}: the gateway lost the response and found the order ${seen}`,
  }
}
