import type { FINAL_ORDER_STATES, OPEN_ORDER_STATES } from 'schema'
import type { NewAuditEntry } from './audit-chain.ts'
import type { createJournalReads } from './journal-reads.ts'
import type { createJournalSearch } from './journal-search.ts'
import type { createLifeWrites } from './life-event.ts'
import type { Tables } from './tables.ts'
import type { WorkingOrderChange } from './working-order-store.ts'

export type JournalRow = Tables['orderJournal']['$inferSelect']

export type NewJournalRow = Pick<JournalRow, (typeof ADMITTED)[number]> & {
  /** As in `SentOrder`: it is entered only while this is the current number. */
  readonly fence?: number | undefined
}

/** The columns that a new order fills, but for its state. */
export const ADMITTED = [
  ...(['id', 'clientRef', 'clientId', 'exchange', 'method', 'endpoint'] as const),
  ...(['fingerprint', 'idempotencyKey', 'createdAtMs'] as const),
] satisfies (keyof JournalRow)[]

export type FinalState = (typeof FINAL_ORDER_STATES)[number]

export interface Settlement {
  readonly state: FinalState
  readonly statusCode: number
  readonly contentType: string
  readonly body: string
  readonly settledAtMs: number
  /** The order was proven not sent or not accepted: its idempotency key may be used again. */
  readonly releasesKey: boolean
  /** If a power cut loses this, the next start finds out the same. */
  readonly canBeFoundAgain?: boolean
  /** Written with it, unless the order already had its end. */
  readonly workingOrders?: WorkingOrderChange
  /** The exchange's id of the order; absent or null when there is no other than the row has. */
  readonly orderId?: string | null
  /** What else the order can be found by. */
  readonly names?: readonly string[]
  /** Events to append. */
  readonly events?: string
  /** Of an order that was not sent; the row of any other has it. */
  readonly asked?: AskedFor | undefined
  /** As a look-up found it. What the row has already does not fall. */
  readonly filled?: string | null
  readonly averagePrice?: string | null
  /**
   * As in `SentOrder`, for an order that was not sent: the next owner ends it, or has taken it over
   * and sent it. Without the current number nothing is written.
   */
  readonly fence?: number | undefined
  /**
   * The connection was lost while the order was entered: it may be there, or come late. It is
   * entered before its end, without its key, so that it does not come after it.
   */
  readonly entry?: NewJournalRow | undefined
}

const ASKED = ['symbol', 'side', 'kind', 'quantity', 'price', 'amount'] as const

/** What a request asks for, as lists show it; all null where its call does not say it. */
export type AskedFor = Pick<JournalRow, (typeof ASKED)[number]>

/** The status of NotCarriedOutError: of an order that was looked up and not placed. */
export const NOT_CARRIED_OUT_STATUS = 502

/** How the key of a request begins that cannot be looked up: it is what that may have closed. */
export const UNFINDABLE_KEY = '{"isUnfindable":true'

/** What the journal gets when an order is about to be sent. */
export interface SentOrder
  extends Pick<
    JournalRow,
    | ('orderKey' | 'clientOrderId' | 'orderId' | 'keysRef' | 'sentAtMs' | 'valueMicros')
    | keyof AskedFor
  > {
  readonly names: readonly string[]
  readonly events: string
  /**
   * The number under which this node is the owner. The order is marked only while it is the current
   * one (`lane_owners`). Absent where there is no group.
   */
  readonly fence?: number | undefined
}

/** What an order can be looked up by that has not been sent. */
type WaitingOrder = Pick<JournalRow, 'orderKey' | 'clientOrderId' | 'keysRef' | keyof AskedFor>

/** How an order is handed over to the next owner. */
interface HandOver {
  /** Its state; `sent` when it is marked, and proven that not one of its bytes left since. */
  readonly from: 'queued' | 'sent'
  /** As in `SentOrder`: the number under which the order was marked. */
  readonly fence?: number | undefined
  readonly atMs: number
  /**
   * The exchange's time of its first attempt, when it has turned away one or more; null when no
   * byte has ever left.
   */
  readonly sentAtMs: number | null
}

/** Receives `sentAtMs` of an order that was handed over, unless that is null. */
type OnTaken = (sentAtMs: number) => void

const LISTED = [
  ...(['id', 'clientRef', 'clientId', 'exchange', 'method', 'endpoint', 'state'] as const),
  ...(['clientOrderId', 'orderId', 'createdAtMs', 'sentAtMs', 'settledAtMs', 'lookups'] as const),
  ...([...ASKED, 'filled', 'averagePrice', 'valueMicros', 'statusCode'] as const),
]
const NAMING = [
  ...(['id', 'clientRef', 'exchange', 'state', 'statusCode', 'orderKey', 'orderId'] as const),
  ...(['clientOrderId', 'idempotencyKey', 'keysRef'] as const),
]
const OF_CLIENT = [
  ...(['id', 'exchange', 'endpoint', 'state', 'orderKey', 'clientOrderId', 'orderId'] as const),
  ...(['createdAtMs', 'sentAtMs', 'settledAtMs', 'statusCode'] as const),
]
/** What searches of the journal read of an order. */
export const SEARCHED = { ASKED, LISTED, NAMING, OF_CLIENT } as const

/** What a list shows of an order: not its response and events, which may be long. */
export type ListedOrder = Pick<JournalRow, (typeof LISTED)[number]> & {
  readonly canBeLookedUp: number
}

/** What a request says of whose an order is. */
export type NamingRow = Pick<JournalRow, (typeof NAMING)[number]> & {
  /** The name by which it was found. */
  readonly name: string
}

/** Which orders are listed, of all clients. An absent field does not restrict the result. */
export interface OrderFilter {
  readonly clientRef?: number | undefined
  readonly exchange?: JournalRow['exchange'] | undefined
  /** As the exchange writes it. */
  readonly symbol?: string | undefined
  readonly side?: JournalRow['side'] | undefined
  /** `open`: it has no end, or the order that it placed may be open at the exchange. */
  readonly state?: JournalRow['state'] | 'open' | undefined
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  /** Only those that come after this one in the list. */
  readonly after?: OrderPlace | undefined
}

/** The place of an order in a list, newest first. */
export type OrderPlace = Pick<JournalRow, 'id' | 'createdAtMs'>

/** A step of a list: reading it examines a limited number of rows, of which few may match. */
export interface OrderStep {
  readonly rows: readonly ListedOrder[]
  /** The last row that was examined; undefined when there are no more. */
  readonly last: OrderPlace | undefined
}

/** The names that are searched for: order ids, client order ids and what else requests go by. */
export interface NamingSearch {
  /** At most `NAMES_MAX`. */
  readonly names: readonly string[]
  readonly exchange: JournalRow['exchange']
  readonly clientRefs: readonly number[]
}
/** Requests that were sent with the keys of an account. */
export interface SentSearch {
  readonly exchange: JournalRow['exchange']
  readonly clientRefs: readonly number[]
  readonly keysRef: number
  readonly sentSinceMs: number
  readonly limit: number
}
/** So many names cost about 5 ms. */
export const NAMES_MAX = 500

/** An order that nobody has valued, with what its value follows from. */
export type UnvaluedOrder = Pick<
  JournalRow,
  'id' | 'exchange' | 'state' | 'createdAtMs' | 'orderKey'
>

/** A client's request, as far as its own list shows it. */
export type ClientRequest = Pick<JournalRow, (typeof OF_CLIENT)[number]>

/** Which requests of a client are listed. */
export interface ClientRequests {
  readonly clientRef: number
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  /** Only those that come after this one, which was the last of the page before. */
  readonly after?: Pick<JournalRow, 'id' | 'createdAtMs'> | undefined
  /** Only those in this state. */
  readonly state?: (typeof OPEN_ORDER_STATES)[number] | undefined
  readonly limit: number
}

/** A request, as far as it tells which others are earlier ones of its client. */
export type RequestedOrder = Pick<JournalRow, 'id' | 'clientRef' | 'exchange' | 'createdAtMs'>

/**
 * The journal of orders and cancels. Each write survives `kill -9` when its promise resolves. What
 * must survive a power cut too, because the order exists at the exchange, is on the disk then
 * (docs/decisions/0005).
 */
export interface JournalWrites {
  /**
   * Enters an order as queued. One that was handed over under this id is entered anew.
   * @returns undefined, or the order that already has its id or idempotency key: then nothing was
   * written
   * @throws ClientGoneError, NotOwnerError, StoreUnwritableError
   */
  admit(order: NewJournalRow, onTaken?: OnTaken): Promise<JournalRow | undefined>

  /**
   * The order waits. A backup that is made now may be restored after the order was sent: then it is
   * looked up by this. Does nothing once the order was sent, and for a restored one with a key.
   * @throws StoreUnwritableError
   */
  keepKey(id: string, waiting: WaitingOrder): Promise<void>

  /**
   * The order is about to be sent. Nothing may be sent before this resolves: then it is on the
   * disk, with everything that was written before.
   * @throws ClientGoneError, StoreUnwritableError, NotOwnerError
   */
  markSent(id: string, sent: SentOrder): Promise<void>

  /**
   * The exchange turned a sent order away, and it is queued again.
   * @param events to append
   * @throws StoreUnwritableError
   */
  markQueued(id: string, events: string): Promise<void>

  /**
   * The outcome of a sent order is unknown.
   * @param events to append
   * @throws StoreUnwritableError
   */
  markUnknown(id: string, events: string): Promise<void>

  /**
   * Counts a round of look-ups at the exchange.
   * @param events to append
   * @throws StoreUnwritableError
   */
  countLookup(id: string, events: string): Promise<void>

  /**
   * The next owner of the exchanges gets the request of an order that the exchange does not have.
   * Until then the order is queued, and no process has it.
   * @throws NotOwnerError when it is no longer in the state `from`, or the fence is not current:
   * then nothing was written; StoreUnwritableError
   */
  handOver(id: string, options: HandOver): Promise<void>

  /**
   * Sets the final state of an order that was handed over and that no owner has taken.
   * @returns false when it was not so: then nothing was written
   * @throws StoreUnwritableError
   */
  settleHandedOver(id: string, settlement: Settlement): Promise<boolean>

  /** Sets the final state. A second call changes nothing. @throws StoreUnwritableError */
  settle(id: string, settlement: Settlement): Promise<void>

  /**
   * Sets the final state of an order whose outcome is unknown, as an administrator found it.
   * @param settlement its fence as for StopStore.begin
   * @returns false when its outcome was known: then nothing was written
   * @throws StoreUnwritableError, NotOwnerError
   */
  settleByAdmin(id: string, settlement: Settlement, entry: NewAuditEntry): Promise<boolean>

  /**
   * Removes at most `limit` orders that were both placed and settled before a time: after a late
   * outcome, the idempotency key is kept as long as after any other.
   * After a power cut the last ones may be there again.
   * @returns how many were removed
   * @throws StoreUnwritableError
   */
  removeOlderThan(beforeMs: number, limit: number): Promise<number>

  /**
   * Stores what orders are worth that have no value. One of 0 takes the place of any: the order
   * turned out to be an exit. After a power cut it may be lost.
   * @throws StoreUnwritableError
   */
  setValues(values: readonly Pick<JournalRow, 'id' | 'valueMicros'>[]): Promise<void>
}

/** Reads of many rows, in steps that are as long as each database can make them. */
export interface JournalSteps {
  /**
   * The orders of a client since a time that may have been placed and have no value, those without
   * an end among them, in pieces that leave the event loop free.
   */
  unvalued(clientRef: number, sinceMs: number): AsyncIterable<UnvaluedOrder[]>

  /**
   * Whether an earlier request of the client, with the same client order id, already has this order
   * in its response. Reads the journal in steps that leave the event loop free.
   */
  belongsToEarlierRequest(
    row: RequestedOrder,
    clientOrderId: string,
    orderId: string,
  ): Promise<boolean>
}

export type JournalStore = JournalWrites &
  JournalSteps &
  ReturnType<typeof createJournalReads> &
  ReturnType<typeof createLifeWrites> &
  ReturnType<typeof createJournalSearch>

/** The order that has an id already. @throws when it is another client's: ids are random */
export function ofClient(row: JournalRow | undefined, clientRef: number): JournalRow | undefined {
  if (row !== undefined && row.clientRef !== clientRef)
    throw new Error(`Another client has an order with the id ${row.id}`)
  return row
}

/**
 * Whether nobody knows if an order of unknown outcome was sent: it waited when the backup was made
 * that was restored.
 */
export function mayBeUnsent({ state, sentAtMs }: Pick<JournalRow, 'state' | 'sentAtMs'>): boolean {
  return state === 'unknown' && sentAtMs === null
}

/** Whether the journal has what an order can be looked up by. */
export function hasKey({ orderKey }: Pick<JournalRow, 'orderKey'>): boolean {
  return orderKey !== null && !orderKey.startsWith(UNFINDABLE_KEY)
}
