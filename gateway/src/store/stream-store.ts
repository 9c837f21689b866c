import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  max,
  or,
  sql,
} from 'drizzle-orm'
import {
  bySize,
  columns,
  type Database,
  filledUp,
  numbered,
  placeholderList,
  requireOwner,
  run,
} from './database.ts'
import type { Tables } from './tables.ts'

/** An event as it is stored. */
export type StreamEventRow = Tables['streamEvents']['$inferSelect']
/** An event as it is read: `latestOf` only selects rows. */
type StreamEventRead = Omit<StreamEventRow, 'latestOf'>

/**
 * Events of accounts. Only one process appends and numbers them: the owner of the exchanges. Writes
 * throw StoreUnwritableError.
 */
export type StreamStore = ReturnType<typeof createStreamStore>

export function createStreamStore(db: Database) {
  return { ...createReads(db), ...createWrites(db) }
}

function createReads(db: Database) {
  const { streamEvents } = db.tables
  const { seq, accountRef, receivedAtMs, latestOf } = streamEvents
  const read = () => db.queries.select(readOf(db.tables)).from(streamEvents)

  return {
    /** The highest number of an event; 0 when there is none. */
    async lastSeq(): Promise<number> {
      const [row] = await db.queries.select({ last: max(seq) }).from(streamEvents)
      return row?.last ?? 0
    },

    /** When the gateway received the event with this number; undefined: there is none. */
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
        .where(and(eq(accountRef, account), isNotNull(latestOf)))
        .orderBy(asc(seq)),
  }
}

/** The columns that callers get. */
function readOf({ streamEvents }: Tables) {
  return {
    ...columns(streamEvents, 'seq', 'accountRef', 'ownerRef', 'type', 'exchange', 'market'),
    ...columns(streamEvents, 'symbol', 'timeMs', 'receivedAtMs', 'source', 'data', 'key'),
  }
}

/** So many rows have a statement of their own; more are rare, and cost more. */
const PREPARED_MAX = 8

function createWrites(db: Database) {
  const { streamEvents, apiKeys } = db.tables
  const { seq, accountRef, receivedAtMs, latestOf } = streamEvents
  const names = Object.keys(getTableColumns(streamEvents))
  const insert = bySize((size) =>
    db.prepareIn((tx) => {
      const rows = Array.from({ length: size }, (_, index) =>
        Object.fromEntries(names.map((name) => [name, sql.placeholder(`${name}${index}`)])),
      )
      return tx.insert(streamEvents).values(rows as unknown as StreamEventRow[])
    }, `stream_events_insert_${size}`),
  )
  const outdate = bySize((size) =>
    db.prepareIn((tx) => {
      const isOutdated = inArray(latestOf, placeholderList('subject', size))
      return tx.update(streamEvents).set({ latestOf: null }).where(isOutdated)
    }, `stream_events_outdate_${size}`),
  )

  return {
    /**
     * Stores events in one transaction.
     * @param rows the last one of each open order, position and balance has `latestOf`
     * @param subjects all orders, positions and balances of the rows, named as in `latestOf`
     * @param fence as for `requireOwner`
     * @throws NotOwnerError
     */
    async append(
      rows: readonly StreamEventRow[],
      subjects: readonly string[],
      fence: number | undefined,
    ): Promise<void> {
      await db.writing(function* (tx) {
        if (subjects.length > 0) {
          const filled = filledUp(subjects)
          yield* run(outdate(filled.length)(tx, numbered('subject', filled)))
        }
        if (rows.length > PREPARED_MAX) yield* run(tx.insert(streamEvents).values([...rows]))
        else yield* run(insert(rows.length)(tx, valuesOf(rows)))
        yield* requireOwner(db, tx, fence)
      })
    },

    /**
     * Removes up to `limit` older events. Keeps the latest event of each open order, position and
     * balance of an account whose keys are stored. Keeps the last event of all, so that numbers
     * always rise.
     * @returns how many it removed
     */
    async removeOlderThan(beforeMs: number, limit: number): Promise<number> {
      const last = db.queries.select({ last: max(seq) }).from(streamEvents)
      const hasKeys = sql`exists (select 1 from ${apiKeys}
        where coalesce(${apiKeys.accountRef}, ${apiKeys.id}) = ${accountRef})`
      const isOld = and(
        lt(receivedAtMs, beforeMs),
        or(isNull(latestOf), sql`not ${hasKeys}`),
        lt(seq, sql`(${last})`),
      )
      return db.removeSome(streamEvents, isOld ?? sql`false`, { limit, lowest: [receivedAtMs] })
    },
  }
}

/** For the placeholders of `insert`. */
const valuesOf = (rows: readonly StreamEventRow[]) =>
  Object.fromEntries(
    rows.flatMap((row, index) =>
      Object.entries(row).map(([name, value]) => [`${name}${index}`, value]),
    ),
  )
