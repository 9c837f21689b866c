import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, max, or, sql } from 'drizzle-orm'
import { columns, type Database, requireOwner, run } from './database.ts'
import type { Tables } from './tables.ts'

/** An event as it is stored. */
export type StreamEventRow = Tables['streamEvents']['$inferSelect']
/** An event as it is read: which order is open is of use only where it is stored. */
type StreamEventRead = Omit<StreamEventRow, 'openOrder'>

/**
 * What happened in accounts. One process appends, the owner of the exchanges, which numbers the
 * events. Its writes throw StoreUnwritableError.
 */
export type StreamStore = ReturnType<typeof createStreamStore>

export function createStreamStore(db: Database) {
  return { ...createReads(db), ...createWrites(db) }
}

function createReads(db: Database) {
  const { streamEvents } = db.tables
  const { seq, accountRef, receivedAtMs, openOrder } = streamEvents
  const read = () => db.queries.select(readOf(db.tables)).from(streamEvents)

  return {
    /** The highest number of an event; 0 when there is none. */
    async lastSeq(): Promise<number> {
      const [row] = await db.queries.select({ last: max(seq) }).from(streamEvents)
      return row?.last ?? 0
    },

    /** When the event with a number came; undefined when there is no such event. */
    async receivedAtMs(number: number): Promise<number | undefined> {
      const select = db.queries.select({ atMs: receivedAtMs }).from(streamEvents)
      return (await select.where(eq(seq, number)))[0]?.atMs
    },

    /** The next events of some accounts after a number, lowest first. */
    after: async (
      accountRefs: readonly number[],
      number: number,
      limit: number,
    ): Promise<StreamEventRead[]> =>
      read()
        .where(and(inArray(accountRef, [...accountRefs]), gt(seq, number)))
        .orderBy(asc(seq))
        .limit(limit),

    /** The newest events of an account, newest first. */
    newest: async (account: number, limit: number): Promise<StreamEventRead[]> =>
      read().where(eq(accountRef, account)).orderBy(desc(seq)).limit(limit),

    /**
     * Of each open order, position and balance of an account: its latest event, however old. Lowest
     * first.
     */
    latest: async (account: number): Promise<StreamEventRead[]> =>
      read()
        .where(and(eq(accountRef, account), isNotNull(openOrder)))
        .orderBy(asc(seq)),
  }
}

/** Everything that callers get. */
function readOf({ streamEvents }: Tables) {
  return {
    ...columns(streamEvents, 'seq', 'accountRef', 'ownerRef', 'type', 'exchange', 'market'),
    ...columns(streamEvents, 'symbol', 'timeMs', 'receivedAtMs', 'source', 'data', 'key'),
  }
}

function createWrites(db: Database) {
  const { streamEvents, apiKeys } = db.tables
  const { seq, accountRef, receivedAtMs, openOrder } = streamEvents

  return {
    /**
     * Stores events in one transaction.
     * @param rows of what is there, the last one has `openOrder`
     * @param orders all that the rows are about, as `openOrder` names them
     * @param fence as for `requireOwner`
     * @throws NotOwnerError
     */
    async append(
      rows: readonly StreamEventRow[],
      orders: readonly string[],
      fence: number | undefined,
    ): Promise<void> {
      await db.writing(function* (tx) {
        if (orders.length > 0) {
          const isLatestNoMore = inArray(openOrder, [...orders])
          yield* run(tx.update(streamEvents).set({ openOrder: null }).where(isLatestNoMore))
        }
        yield* run(tx.insert(streamEvents).values([...rows]))
        yield* requireOwner(db, tx, fence)
      })
    },

    /**
     * Removes some of the events that are older, but for the latest of what is there at an account
     * whose keys are stored. The last event of all stays: the next one gets a higher
     * number.
     * @returns how many it removed
     */
    async removeOlderThan(beforeMs: number, limit: number): Promise<number> {
      const last = db.queries.select({ last: max(seq) }).from(streamEvents)
      const hasKeys = sql`exists (select 1 from ${apiKeys}
        where coalesce(${apiKeys.accountRef}, ${apiKeys.id}) = ${accountRef})`
      const isOld = and(
        lt(receivedAtMs, beforeMs),
        or(isNull(openOrder), sql`not ${hasKeys}`),
        lt(seq, sql`(${last})`),
      )
      return db.removeSome(streamEvents, isOld ?? sql`false`, { limit, lowest: [receivedAtMs] })
    },
  }
}
