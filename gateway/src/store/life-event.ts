import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { filledWith } from './journal-reads.ts'

/**
 * What happened to an order, as the journal keeps it, short: there are several for each order.
 * `ms`: after the order's entry into the journal.
 */
export type LifeEvent = { readonly ms: number } & (
  | {
      /** The rules of the symbol and the client's limits allow it. */
      readonly type: 'checked'
      /** The limit that would have refused it, in the mode `shadow`. */
      readonly note?: string
    }
  | {
      readonly type: 'queued'
      /** How many are expected to be sent before it. */
      readonly ahead: number
      /** How many wait already, by class in the order of `JOB_CLASSES`; absent: none. */
      readonly waiting?: readonly number[]
      /** How many of them are of the same client. */
      readonly own?: number
    }
  | { readonly type: 'slot'; readonly waitedMs: number }
  /** `time`: the exchange's, Unix ms, which was signed. */
  | { readonly type: 'signed'; readonly time: number }
  | { readonly type: 'sent' }
  | { readonly type: 'answered'; readonly status: number; readonly tookMs: number }
  /** The exchange's rate limit turned it away. */
  | { readonly type: 'turned-away' }
  | { readonly type: 'unknown'; readonly why: string }
  /** The process that sent it ended; the next one looks it up. */
  | { readonly type: 'recovered' }
  | {
      readonly type: 'lookup'
      /** The call, without its query; absent when none was made. */
      readonly where?: string
      readonly found?: 'found' | 'absent' | 'unclear'
      /** Of the order that was found. */
      readonly state?: string
      readonly why?: string
    }
  /** A stop sends this cancel, or a client that cancels all its own orders. */
  | { readonly type: 'stop'; readonly reason: string }
  /** The order that it placed was found ended. */
  | { readonly type: 'ended' }
  /** The account's feed pushed it. Each state of an order is stored once. */
  | PushedEvent
)

interface PushedEvent {
  readonly type: 'pushed'
  /** The exchange's id; absent where the request is about one order. */
  readonly order?: string
  readonly state: string
  /** By the exchange's clock, Unix ms; absent: the exchange gave none. */
  readonly time?: number
  /** What it was filled with so far. */
  readonly filled?: string
  /** How many times it was reported partly filled before its end. */
  readonly fills?: number
}

type WithoutMs<Event> = Event extends unknown ? Omit<Event, 'ms'> : never
type NewLifeEvent = WithoutMs<LifeEvent>

/** The events of a row's `events`. */
export function readLifeEvents(text: string): LifeEvent[] {
  return JSON.parse(`[${text.slice(0, -1)}]`)
}

/** As it is appended to a row's `events`. */
function writeLifeEvents(events: readonly LifeEvent[]): string {
  let text = ''
  for (const event of events) text += `${JSON.stringify(event)},`
  return text
}

/** More look-ups are counted, but not listed one by one. */
const LOOKUPS_LISTED = 60

/**
 * Collects what happens to an order in memory. The commits that change the order's state take it
 * along: it has none of its own.
 */
export class OrderLife {
  readonly #createdAtMs: number
  readonly #nowMs: () => number
  #unwritten: LifeEvent[] = []
  #lookups = 0

  constructor(createdAtMs: number, nowMs: () => number) {
    this.#createdAtMs = createdAtMs
    this.#nowMs = nowMs
  }

  /** What no commit has taken along yet. */
  get unwritten(): readonly LifeEvent[] {
    return this.#unwritten
  }

  note(event: NewLifeEvent): void {
    if (event.type === 'lookup') {
      this.#lookups += 1
      if (this.#lookups > LOOKUPS_LISTED && event.found !== 'found') return
    }
    this.#unwritten.push({ ...event, ms: this.#nowMs() - this.#createdAtMs })
  }

  /**
   * Hands the unwritten events to a write, and takes them back when it fails.
   * @throws the error of the write
   */
  async write(writing: (events: string) => Promise<void>): Promise<void> {
    const taken = this.#unwritten
    this.#unwritten = []
    try {
      await writing(writeLifeEvents(taken))
    } catch (error) {
      this.#unwritten = [...taken, ...this.#unwritten]
      throw error
    }
  }

  /** The unwritten events, for a write that is repeated until it succeeds. */
  take(): string {
    const taken = this.#unwritten
    this.#unwritten = []
    return writeLifeEvents(taken)
  }
}

/** What an order was filled with, and the state that its account's feed pushed. */
interface NewFill {
  /** Null: not known, or the request is about several orders. */
  readonly filled: string | null
  readonly averagePrice: string | null
  readonly event?: LifeEvent & PushedEvent
}

/** Writes about orders that may have ended long ago. */
export function createLifeWrites(db: Database) {
  const { orderJournal } = db.tables
  const { id: idOf, events } = orderJournal
  let noteFilled: ReturnType<typeof prepareNoteFilled> | undefined

  const eventsWith = ({ type, order, state, ...facts }: LifeEvent & PushedEvent): SQL => {
    const ofOrder = order === undefined ? {} : { order }
    const known = JSON.stringify({ type, ...ofOrder, state }).slice(1, -1)
    const text = `{${known},${JSON.stringify(facts).slice(1)},`
    return sql`case when ${db.contains(events, known)} then ${events} else ${events} || ${text} end`
  }

  return {
    /**
     * Stores what an order was filled with, which never falls. Appends the pushed state, unless the
     * order's life has it. A second call changes nothing. A power cut may lose it.
     * @throws StoreUnwritableError
     */
    async noteFill(id: string, { event, ...fill }: NewFill): Promise<void> {
      if (event === undefined && fill.filled === null) return
      await db.inOrder([id], () =>
        db.onceUnsynced((queries, unsynced) => {
          if (event !== undefined) {
            const filled = filledWith(orderJournal, sql`${fill.filled}`, sql`${fill.averagePrice}`)
            const set = { ...filled, events: eventsWith(event) }
            return queries
              .update(orderJournal)
              .set(set)
              .where(and(eq(idOf, id), unsynced))
          }
          noteFilled ??= prepareNoteFilled(db, unsynced)
          return noteFilled.execute({ id, ...fill })
        }),
      )
    },
  }
}

/** Most fills in part say nothing else that is new. */
function prepareNoteFilled(db: Database, unsynced: SQL) {
  const { orderJournal } = db.tables
  const [filled, averagePrice] = [sql.placeholder('filled'), sql.placeholder('averagePrice')]
  const update = db.queries
    .update(orderJournal)
    .set(filledWith(orderJournal, sql`${filled}`, sql`${averagePrice}`))
    .where(and(eq(orderJournal.id, sql.placeholder('id')), unsynced))
  return db.prepare(update, 'journal_note_filled')
}
