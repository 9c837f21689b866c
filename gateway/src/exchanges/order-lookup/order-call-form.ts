import type { Closing } from '../position-part.ts'
import type { TermNames } from './terms.ts'

/**
 * How a call about several orders is answered: in Bitget's `successList` and `failureList`, entry
 * by entry, with the order that took another one's place, which is about two orders, or with the
 * two legs of a position's end.
 */
export type SeveralForm = 'two-lists' | 'entries' | 'replacement' | 'replacements' | 'legs'

/** What a call says of one order, by the names that it has there. */
export type OrderFields = Readonly<Record<string, unknown>>

export type Market = 'spot' | 'futures'

/** How a call that is about orders is written. */
export interface OrderCallForm {
  readonly action: 'place' | 'cancel' | 'modify'
  readonly market: Market
  /** The field of the client order id; absent where the call has none. */
  readonly clientIdName?: string
  /** Which ids the exchange takes for a new order; absent where that is not established. */
  readonly clientIdRule?: ClientIdRule
  /** Whether the exchange ignores the client order id of an order like this one. */
  readonly ignoresClientId?: (fields: OrderFields) => boolean
  /** Whether a limit order like this one fills at once or never: it is never an open order. */
  readonly isImmediate?: (fields: OrderFields) => boolean
  /** How a call that replaces an order by a new one names the old one. */
  readonly replaces?: OrderCallForm
  /**
   * The fields that say what the new order is to do; absent where the call makes none of its own.
   */
  readonly terms?: TermNames
  /** The field of the size of a change whose terms are not compared. */
  readonly askedName?: string
  /** What the order closes, when it can only close. */
  readonly closes?: (fields: OrderFields) => Closing | undefined
  /** Where the list of its orders is, and how many that may be. Absent where it is about one. */
  readonly list?: OrderList
  /** Where its orders are without being in a list. */
  readonly parts?: OrderParts
  readonly several?: SeveralForm
  /** A list of one is about one order, in the call and in the response. */
  readonly isSingleByOne?: true
  /**
   * What else the key says of the order, and what it calls `symbol` and `orderId` when the call has
   * other names.
   */
  readonly details?: (fields: OrderFields) => OrderDetails
}

export interface ClientIdRule {
  readonly pattern: RegExp
  /** The same in words: `1 to 32 letters`. */
  readonly words: string
}

export interface OrderList {
  /** Absent: the body itself is the list. */
  readonly field?: string
  /** More orders than this the exchange rejects. */
  readonly max: number
}

export interface OrderParts {
  /** What the call says of each, named as a call about one names it. */
  readonly read: (fields: OrderFields) => OrderFields[]
  /** The call's field of the part's client order id. */
  readonly clientIdName: (part: OrderFields) => string
}

/** What only some exchanges have of an order; the meaning is `OrderKey`'s. */
export interface OrderDetails {
  readonly symbol?: string | undefined
  readonly orderId?: string | undefined
  readonly oldClientOrderId?: string | undefined
  readonly market?: Market
  readonly productType?: string | undefined
  readonly plan?: string | undefined
  readonly planType?: string | undefined
  readonly leg?: string | undefined
  readonly isUnified?: boolean
  readonly isInPlace?: boolean
  readonly isOneWay?: boolean
  readonly isUnlisted?: boolean
}

/** The field by which the order can be found later; undefined where there is none. */
export function clientOrderIdName(form: OrderCallForm, fields: OrderFields): string | undefined {
  return form.ignoresClientId?.(fields) === true ? undefined : form.clientIdName
}
