/** Why the engine rejects an order; each exchange has its own code and words for it. */
export type RejectionReason =
  | 'symbol-closed'
  | 'price-missing'
  | 'price-scale'
  | 'price-low'
  | 'price-high'
  | 'size-missing'
  | 'size-scale'
  | 'size-small'
  | 'size-large'
  | 'value-small'
  | 'value-large'
  | 'balance'
  | 'margin'
  | 'no-position'
  | 'position-small'
  | 'position-mode'
  | 'margin-mode'
  | 'leverage'
  | 'too-many-orders'
  | 'order-state'

/** The exchange rejects an order. The routes of a family turn this into that family's response. */
export class OrderRejectedError extends Error {
  readonly reason: RejectionReason
  /**
   * The bound that was missed or the value that was wrong, in the exchange's units; may be empty.
   */
  readonly detail: string

  constructor(reason: RejectionReason, detail = '') {
    super(`${reason} ${detail}`.trim())
    this.name = 'OrderRejectedError'
    this.reason = reason
    this.detail = detail
  }
}
