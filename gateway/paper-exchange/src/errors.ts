/** Why the engine refuses an order; each exchange has its own code and words for it. */
export type RefusalReason =
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
  | 'no-position'
  | 'position-small'
  | 'position-mode'
  | 'margin-mode'
  | 'leverage'
  | 'too-many-orders'
  | 'order-state'

/** The exchange does not take an order. The routes of a family turn it into that family's answer. */
export class TradeRefusedError extends Error {
  readonly reason: RefusalReason
  /** The bound that was missed or the value that was wrong, in the exchange's units; may be empty. */
  readonly detail: string

  constructor(reason: RefusalReason, detail = '') {
    super(`${reason} ${detail}`.trim())
    this.name = 'TradeRefusedError'
    this.reason = reason
    this.detail = detail
  }
}
