import type { Market } from './order-lookup/order-call-form.ts'
import type { Closing } from './position-part.ts'

/**
 * What a call does to the client's account, as far as limits judge it. A call about several orders
 * has an effect for each.
 */
export type CallEffect =
  | OrderEffect
  | LeverageEffect
  | MarginEffect
  /** It cancels orders, and does nothing else. */
  | { readonly kind: 'cancel' }
  /** It changes the account and trades nothing. */
  | { readonly kind: 'setting' }
  /** What it may trade does not follow from the call. */
  | { readonly kind: 'unbounded'; readonly why: string }

/** An order that a call makes, or what an order becomes by it. */
export interface OrderEffect {
  readonly kind: 'order'
  readonly market: Market
  /**
   * In capital letters; undefined when the call does not name it. Of a change the symbol of the
   * changed order counts: what the exchange makes of another one is not documented.
   */
  readonly symbol: string | undefined
  /** Bitget futures only: `USDT-FUTURES`. */
  readonly productType?: string | undefined
  /** Undefined when the call does not name it: a change keeps the side. */
  readonly side: 'buy' | 'sell' | undefined
  /**
   * Decimal, in what the exchange counts: the base coin, on MEXC futures contracts. Undefined where
   * the size is a quote amount, for all that there is, and in a change that leaves it as it was.
   */
  readonly size: string | undefined
  /** Decimal in the quote coin, of a market buy that is sized so. */
  readonly quoteSize?: string | undefined
  /**
   * Decimal. Undefined for a market order, and for a trigger order that becomes one; in a change
   * also where the price stays.
   */
  readonly price: string | undefined
  /** The price that a trigger order waits for, decimal; of two the higher one. */
  readonly trigger?: string | undefined
  /**
   * The trigger price of a take profit or stop loss that hangs on the order, decimal; of two the
   * higher one. On spot it trades the order's size once more, on futures perhaps the whole
   * position.
   */
  readonly exit?: string | undefined
  /** It provably makes a position smaller, or sells coins of a spot account without loans. */
  readonly reduces: boolean
  /**
   * What it takes when it can only close, in one mode of the account at least. Absent: it may open,
   * or it is a change, which leaves that to the order that it changes.
   */
  readonly closes?: Closing | undefined
  /** Whether it may stay open: not a market order, and not one that fills at once or never. */
  readonly rests: boolean
  readonly leverage?: number | undefined
  /** Of a change: the order that is changed. */
  readonly changes?: ChangedOrder | undefined
}

/** What names an order: the exchange's id, or the client's. */
export interface OrderIds {
  readonly orderId?: string | undefined
  readonly clientOrderId?: string | undefined
}

/** What a change says of its order, beside market, symbol, product type and demo account. */
export interface ChangedOrder extends OrderIds {
  /** The list of a trigger order, as in OrderKey. Each list has ids of its own. */
  readonly plan?: string | undefined
  /** The call does not name its market: whichever the changed order is in. */
  readonly isInAnyMarket?: boolean
}

export interface LeverageEffect {
  readonly kind: 'leverage'
  readonly market: 'futures'
  readonly symbol: string | undefined
  /** Undefined when the call does not say it in a way that can be relied on. */
  readonly leverage: number | undefined
}

/** Money that goes into a position, or out of it. */
export interface MarginEffect {
  readonly kind: 'margin'
  readonly market: 'futures'
  /** Undefined when the call names the position by its id alone. */
  readonly symbol: string | undefined
}

/** How the effects of a call are read. A call with any other field is `unbounded`. */
export interface EffectForm {
  /** The fields that the call may have; in a call with a list, those of its entries. */
  readonly fields: ReadonlySet<string>
  /** The fields that may be beside the list. */
  readonly beside?: ReadonlySet<string>
  /** Of these fields, the stop fields that the exchange ignores in an order like this one. */
  readonly ignores?: (fields: Readonly<Record<string, unknown>>) => readonly string[]
  /**
   * Reads the fields of the whole call, or of one entry of its list.
   * @throws UnclearFieldError when the call is to be `unbounded`
   */
  readonly read: (fields: Readonly<Record<string, unknown>>) => CallEffect | readonly CallEffect[]
}

/** By `METHOD /path`: how a call is read, or why nobody can tell what it may trade. */
export type EffectTable = ReadonlyMap<string, EffectForm | string>
