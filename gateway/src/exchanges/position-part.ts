import type { Market } from './order-lookup/order-call-form.ts'

/** Spot coins count as a long position. */
export type PositionSide = 'long' | 'short'

/**
 * When an order closes: as soon as it can, when the price has turned against the position, or when
 * it has come to a profit.
 */
export type ExitKind = 'now' | 'stop' | 'profit'

/** What an order that can only close takes, as far as its call says. */
export interface Closing {
  /** The side that it closes where the account has one position a symbol; undefined: it may open. */
  readonly inOneWay: PositionSide | undefined
  /** The same where the account has a long and a short one. */
  readonly inHedge: PositionSide | undefined
  readonly kind: ExitKind
  /** It closes all that there is, also what others opened. */
  readonly isWhole: boolean
  /** MEXC futures: the position that the call names by its id alone. */
  readonly positionId?: string | undefined
}

/** Where a position is; the same for all orders of a symbol in one account. */
export interface PositionPlace {
  readonly market: Market
  /** In capital letters. */
  readonly symbol: string
  /** Bitget futures: `USDT-FUTURES`, on a classic and on a unified account. */
  readonly productType?: string | undefined
  readonly demo?: boolean | undefined
}

/** What one order does to a position when it is filled. */
export interface PositionPart {
  readonly place: PositionPlace
  readonly side: PositionSide
  readonly does: 'open' | 'close'
  /** Of one that closes; `now` of one that opens. */
  readonly kind: ExitKind
  /** Decimal, in what the exchange counts (`OrderEffect.size`); undefined: not said, or for all. */
  readonly size: string | undefined
}
