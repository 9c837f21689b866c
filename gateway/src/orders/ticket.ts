import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { RefusalClass } from '../exchanges/protocol/verdict.ts'

/** What the exchange would have answered, made from the order that was found there. */
export interface FoundAnswer {
  readonly status: number
  readonly body: string
}

/** An order's place in the journal, for the one that sends it. */
export interface Ticket {
  /** The client order id for an order whose bot gave none; the same for the same idempotency key. */
  readonly clientOrderId: string
  /**
   * Writes that the order goes out now, and with which keys. Nothing is sent before it resolves.
   * @throws StoreUnwritableError
   */
  markSent(trace: OrderKey | undefined, keysId: number | null): Promise<void>
  /** The exchange turned the order away for the moment and did nothing: it waits again, as if it had not been sent. */
  markNotTaken(): Promise<void>
  /** The exchange did nothing and said why; what it answered is the end. */
  noteRefusal(refusalClass: RefusalClass): void
  /**
   * Asks the exchange what became of the order that was sent. Undefined when it could not be found out in the
   * seconds that a caller waits, whatever the reason.
   */
  findOut(): Promise<FoundAnswer | undefined>
}
