import type { FINAL_ORDER_STATES } from 'schema'
import { createJournalReads } from './journal-reads.ts'
import { createJournalSearch } from './journal-search.ts'
import { createJournalWrites } from './journal-writes.ts'
import type { Db } from './open.ts'
import type { orderJournal } from './tables.ts'
import type { WorkingOrderChange } from './working-order-store.ts'

export type JournalRow = typeof orderJournal.$inferSelect
export type NewJournalRow = Pick<
  JournalRow,
  | 'id'
  | 'clientRef'
  | 'clientId'
  | 'exchange'
  | 'method'
  | 'endpoint'
  | 'fingerprint'
  | 'idempotencyKey'
  | 'createdAtMs'
>
export type FinalState = (typeof FINAL_ORDER_STATES)[number]

export interface Settlement {
  readonly state: FinalState
  readonly statusCode: number
  readonly contentType: string
  readonly body: string
  readonly settledAtMs: number
  /** The order was proven not sent or not accepted: its idempotency key may be used again. */
  readonly releasesKey: boolean
  /** If a power cut loses this, the next start finds out whether the order was placed. */
  readonly canBeFoundAgain?: boolean
  /** Written with it, unless the order already had its end. */
  readonly workingOrders?: WorkingOrderChange
  /** The exchange's id of the order; absent or null when there is no other than the row has. */
  readonly orderId?: string | null
  /** What else the order can be found by. */
  readonly names?: readonly string[]
  /** Events to append. */
  readonly events?: string
}

/** What the journal gets when an order is about to be sent. */
export interface SentOrder
  extends Pick<
    JournalRow,
    'orderKey' | 'clientOrderId' | 'orderId' | 'keysRef' | 'sentAtMs' | 'valueMicros'
  > {
  readonly names: readonly string[]
  readonly events: string
}

/** The journal of orders and cancels. */
export function createJournalStore(db: Db) {
  return { ...createJournalWrites(db), ...createJournalReads(db), ...createJournalSearch(db) }
}
export type JournalStore = ReturnType<typeof createJournalStore>
