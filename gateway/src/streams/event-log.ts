import type { StreamOrder } from 'schema'
import type { StreamEventRow, StreamStore } from '../store/stream-store.ts'
import type { Time } from '../time.ts'
import type { NewStreamEvent, StoredStreamEvent } from './stream-event.ts'

/** Events of one transaction: SQLite makes it in one turn of the event loop. */
const EVENTS_AT_ONCE = 250
/** Numbers follow the clock, in µs, so that a database that was restored repeats none. */
const NUMBERS_PER_MS = 1_000
/** A stream can be resumed for so long; housekeeping then removes the events. */
const RESUMABLE_MS = 24 * 3_600_000
/**
 * The newest events of an account, of which its picture is made again: those of this time at least,
 * since the reads of a gap begin before the last event.
 */
const RESTORED = 5_000
const RESTORED_MS = 120_000
const RESTORED_MAX = 40 * RESTORED
const OPEN: ReadonlySet<unknown> = new Set<StreamOrder['status']>([
  ...(['pending', 'open', 'partiallyFilled'] as const),
])

/** Gets events in the order of their numbers. It must not throw. */
export type EventListener = (events: readonly StoredStreamEvent[]) => void

interface Waiting {
  readonly events: readonly NewStreamEvent[]
  readonly resolve: (stored: readonly StoredStreamEvent[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * Numbers the events of accounts, writes them to the disk, and then publishes them.
 * Only the owner of the exchanges appends. Events that come during a write share the next one, so
 * they are written and published in the order of their numbers.
 */
export class EventLog {
  readonly #store: StreamStore
  readonly #time: Pick<Time, 'now'>
  readonly #listeners = new Map<number, Set<EventListener>>()
  #waiting: Waiting[] = []
  #isWriting = false
  #hasStarted = false
  #fence: number | undefined
  /** Of these accounts, a write failed that may have been made: a commit without a response. */
  readonly #doubtful = new Set<number>()
  #lastSeq = 0
  #lastNumber = 0

  constructor(store: StreamStore, time: Pick<Time, 'now'>) {
    this.#store = store
    this.#time = time
  }

  /** Call it before anything is appended. @param fence as for `requireOwner` */
  async start(fence: number | undefined): Promise<void> {
    this.#fence = fence
    this.#lastNumber = await this.#store.lastSeq()
    this.#lastSeq = this.#lastNumber
    this.#hasStarted = true
  }

  /** The number of the last published event; 0: there is none. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /**
   * Resolves when the events are on the disk and published. After a failure, they may be appended
   * again; the first ones may then be stored twice.
   * @throws NotOwnerError, StoreUnwritableError, StoreDamagedError
   */
  async append(events: readonly NewStreamEvent[]): Promise<readonly StoredStreamEvent[]> {
    if (!this.#hasStarted) throw new Error('The event log has not started')
    const parts: Promise<readonly StoredStreamEvent[]>[] = []
    for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly StoredStreamEvent[]>()
      this.#waiting.push({ events: events.slice(from, from + EVENTS_AT_ONCE), resolve, reject })
      parts.push(promise)
    }
    if (!this.#isWriting) void this.#writeAll()
    return (await Promise.all(parts)).flat()
  }

  /** `listener` gets the account's events after they are on the disk. @returns unsubscribes */
  subscribe(accountRef: number, listener: EventListener): () => void {
    const listeners = this.#listeners.get(accountRef) ?? new Set()
    this.#listeners.set(accountRef, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(accountRef)
    }
  }

  /** The next events of some accounts after a number, in the order of their numbers. */
  async readAfter(
    accountRefs: readonly number[],
    seq: number,
    limit: number,
  ): Promise<readonly StoredStreamEvent[]> {
    return accountRefs.length === 0 ? [] : this.#store.after(accountRefs, seq, limit)
  }

  /** Whether a stream can resume: the number is known, and all later events are still stored. */
  async canResumeAfter(seq: number): Promise<boolean> {
    if (seq === this.#lastSeq) return true
    const receivedAtMs = await this.#store.receivedAtMs(seq)
    return receivedAtMs !== undefined && receivedAtMs > this.#time.now() - RESUMABLE_MS
  }

  /** The events that restore the picture of an account, lowest number first. */
  async readPicture(accountRef: number): Promise<readonly StoredStreamEvent[]> {
    const newest = (await this.#newest(accountRef)).toReversed()
    const firstSeq = newest[0]?.seq ?? 0
    const open = await this.#store.latest(accountRef)
    return [...open.filter(({ seq }) => seq < firstSeq), ...newest]
  }

  async #newest(accountRef: number): Promise<readonly StoredStreamEvent[]> {
    for (let limit = RESTORED; ; limit *= 2) {
      const newest = await this.#store.newest(accountRef, limit)
      const [last, first] = [newest[0]?.receivedAtMs ?? 0, newest.at(-1)?.receivedAtMs ?? 0]
      if (newest.length < limit || last - first >= RESTORED_MS || limit >= RESTORED_MAX)
        return newest
    }
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) await this.#write(this.#takeSome())
    this.#isWriting = false
  }

  #takeSome(): Waiting[] {
    let count = 0
    const end = this.#waiting.findIndex(({ events }) => {
      count += events.length
      return count > EVENTS_AT_ONCE
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const numbered = group.map(({ events }) => events.map((event) => this.#number(event)))
    const all = numbered.flat()
    let found: readonly StoredStreamEvent[]
    try {
      const { rows, subjects } = toRows(all)
      await this.#store.append(rows, subjects, this.#fence)
      found = await this.#foundOnDisk(all[0]?.seq ?? 0)
    } catch (error) {
      for (const { accountRef } of all) this.#doubtful.add(accountRef)
      for (const { reject } of group) reject(error)
      return
    }
    this.#give([...found, ...all])
    for (const [index, { resolve }] of group.entries()) resolve(numbered[index] ?? [])
  }

  /** What is there of writes that failed, before a number. */
  async #foundOnDisk(beforeSeq: number): Promise<readonly StoredStreamEvent[]> {
    const found: StoredStreamEvent[] = []
    while (this.#doubtful.size > 0) {
      const after = found.at(-1)?.seq ?? this.#lastSeq
      const page = await this.#store.after([...this.#doubtful], after, EVENTS_AT_ONCE)
      found.push(...page.filter(({ seq }) => seq < beforeSeq))
      if (page.length < EVENTS_AT_ONCE || (page.at(-1)?.seq ?? 0) >= beforeSeq)
        this.#doubtful.clear()
    }
    return found
  }

  #give(events: readonly StoredStreamEvent[]): void {
    this.#lastSeq = this.#lastNumber
    for (const [accountRef, own] of Map.groupBy(events, (event) => event.accountRef))
      for (const listener of this.#listeners.get(accountRef) ?? []) listener(own)
  }

  #number(event: NewStreamEvent): StoredStreamEvent {
    this.#lastNumber = Math.max(this.#lastNumber + 1, this.#time.now() * NUMBERS_PER_MS)
    return { ...event, seq: this.#lastNumber }
  }
}

/** Marks the last event of each open order, position and balance. */
function toRows(events: readonly StoredStreamEvent[]): {
  readonly rows: readonly StreamEventRow[]
  readonly subjects: readonly string[]
} {
  const open = new Map<string, StreamEventRow>()
  const all = new Set<string>()
  const rows = events.map((event) => {
    const row: StreamEventRow = { ...event, latestOf: null }
    const { name, isThere } = aboutOf(event)
    if (name === undefined) return row
    all.add(name)
    open.delete(name)
    if (isThere) open.set(name, row)
    return row
  })
  for (const [name, row] of open) row.latestOf = name
  return { rows, subjects: [...all] }
}

const isZero = (amount: unknown) => Number(amount ?? 0) === 0

/** The order, position or balance of an event, and whether it still exists; empty for others. */
function aboutOf({ type, accountRef, exchange, market, symbol, data: text }: NewStreamEvent): {
  readonly name?: string
  readonly isThere?: boolean
} {
  if (type !== 'order' && type !== 'position' && type !== 'balance') return {}
  const data = JSON.parse(text)
  const place = [accountRef, exchange, market, symbol]
  if (type === 'order')
    return { name: [...place, data.orderId].join(' '), isThere: OPEN.has(data.status) }
  const name = [...place, type, data.side ?? data.asset].join(' ')
  const amounts = [data.quantity ?? data.contracts, data.available, data.locked, data.total]
  return { name, isThere: !amounts.every(isZero) }
}
