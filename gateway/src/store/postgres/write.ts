import { setTimeout } from 'node:timers/promises'
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type pg from 'pg'
import { isCommitUnknown } from '../errors.ts'
import type { Db } from './open.ts'
import { isConflict, isLost, isUnsent, toCommitError, toStoreError } from './postgres-error.ts'
import { lockFor, type Queries, queriesOn } from './session.ts'

export { isNullRefused, isOrphan, isTaken } from './postgres-error.ts'

/*
 * How stores write.
 *
 * `writing` is a transaction that has reached the disk when it resolves; `writingUnsynced` is one
 * that a power cut may lose. `changing` is `writing` behind one lock: whatever administrators do
 * goes through it (everything that appends to the audit trail, or decides by what it has read).
 * These run one after another as in SQLite, so they neither deadlock nor overwrite each other. What
 * bots cause takes no such lock: it is one statement, or a few that lock rows in the same order.
 *
 * A single statement needs none of them: `writingOnce(db, () => db.insert(...))` makes one round
 * trip where a transaction makes three.
 *
 * Inside of `work` use its `tx` and never `db`, which is another connection. `work` may run again,
 * so it has no effect but on the database.
 *
 * **A commit whose response was lost** may have been made. Then these functions throw
 * CommitUnknownError, which is a StoreUnwritableError to every caller that compares codes, and do
 * not try again. It is safe because of what the callers do: an order whose `sent` may not be stored
 * is not sent, and the next start looks up what says `sent`; storing an end again has no other
 * effect than storing it once; an administrator is asked to look. What is neither must not be
 * written with one call: choose a key first (`on conflict do nothing`).
 */

/** How long writes are repeated while the server cannot be reached. */
const PATIENCE_MS = 3_000
/** How often a transaction that conflicts with others is run. */
const CONFLICTS_MAX = 5

type Work<T> = (tx: Queries) => Promise<T>

/**
 * Runs a transaction: all of it or nothing, on the disk when it resolves.
 * @throws what the work throws, StoreUnwritableError, StoreDamagedError
 */
export function writing<T>(db: Db, work: Work<T>): Promise<T> {
  return transaction(db, db.pool, 'begin', work)
}

/**
 * Runs a transaction that does not wait for the disk. The failure of the server may lose it: for
 * what the next start finds out again, and for what nobody misses (docs/decisions/0005).
 * @throws what `writing` throws
 */
export function writingUnsynced<T>(db: Db, work: Work<T>): Promise<T> {
  return transaction(db, db.pool, 'begin; set local synchronous_commit to off', work)
}

/**
 * Runs a change by an administrator: like `writing`, one at a time at all nodes together.
 * @throws what `writing` throws
 */
export async function changing<T>(db: Db, work: Work<T>): Promise<T> {
  try {
    return await transaction(db, db.pool, `begin; ${lockFor('changes')}`, work)
  } finally {
    db.rows.changed()
  }
}

/**
 * Makes one statement that writes, as a transaction of its own, on the disk when it resolves.
 * @throws what the statement throws, StoreUnwritableError, StoreDamagedError
 */
export function writingOnce<T>(db: Db, statement: () => PromiseLike<T>): Promise<T> {
  db.damage.requireNone()
  return repeating(db, async () => {
    try {
      return await statement()
    } catch (error) {
      // It may have been committed.
      throw isLost(error) && !isUnsent(error) ? toCommitError(error) : error
    }
  })
}

/**
 * Makes one statement that has no other effect when it is made twice. So it is made again when the
 * connection was lost, also where the first one may have been committed.
 * @throws what `writingOnce` throws
 */
export function writingAgain<T>(db: Db, statement: () => PromiseLike<T>): Promise<T> {
  db.damage.requireNone()
  return repeating(db, async () => statement())
}

/**
 * A condition that always holds, for the `where` of one statement that `writingAgain` makes: then
 * its transaction does not wait for the disk, as with `writingUnsynced`. It is evaluated before any
 * row is written.
 */
export const unsynced = sql`(select set_config('synchronous_commit', 'off', true)) is not null`

/** The value of a column in an `insert` that `writingAgain` makes; says what `unsynced` says. */
export const unsyncedValue = (value: SQLWrapper): SQL =>
  sql`case when ${unsynced} then ${value} end`

/**
 * Reads several things as they were at one moment, or something that may take long: a search of the
 * log, an export. It has connections and time limits of its own, so it takes none from an order.
 * The server ends its statement when the signal aborts.
 * @throws what the work throws, the signal's reason, StoreUnwritableError, StoreDamagedError
 */
export function reading<T>(db: Db, work: Work<T>, signal?: AbortSignal): Promise<T> {
  const begin = 'begin isolation level repeatable read read only'
  return transaction(db, db.slowPool, begin, work, signal)
}

async function transaction<T>(
  db: Db,
  pool: pg.Pool,
  begin: string,
  work: Work<T>,
  signal?: AbortSignal,
): Promise<T> {
  db.damage.requireNone()
  return repeating(db, () => attempt(db, pool, begin, work, signal))
}

function attempt<T>(
  db: Db,
  pool: pg.Pool,
  begin: string,
  work: Work<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  return onConnection(db, pool, signal, async (client) => {
    await mapped(db, toStoreError, () => client.query(begin))
    const value = await work(queriesOn(client, db.damage))
    const { command } = await mapped(db, toCommitError, () => client.query('commit'))
    // After a failed statement, the server responds to the commit with a rollback.
    if (command !== 'COMMIT') throw new Error('A statement of the transaction failed, see the work')
    return value
  })
}

/**
 * Runs one statement that may take long, like `reading`, without a transaction.
 * @throws the signal's reason, StoreUnwritableError, StoreDamagedError
 */
export function readingOnce<Row extends pg.QueryResultRow>(
  db: Db,
  query: pg.QueryConfig,
  signal?: AbortSignal,
): Promise<Row[]> {
  const readRows = async (client: pg.PoolClient) =>
    (await mapped(db, toStoreError, () => client.query<Row>(query))).rows
  return repeating(db, () => onConnection(db, db.slowPool, signal, readRows))
}

/** Uses a connection, which is given back without a transaction. */
async function onConnection<T>(
  db: Db,
  pool: pg.Pool,
  signal: AbortSignal | undefined,
  use: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await mapped(db, toStoreError, () => pool.connect())
  const done = cancelWhenAborted(db.pool, client, signal)
  let isOver = false
  try {
    signal?.throwIfAborted()
    return await use(client)
  } catch (error) {
    isOver = isLost(error) || !(await client.query('rollback').then(Boolean, () => false))
    signal?.throwIfAborted()
    throw error
  } finally {
    const isCancelled = await done()
    client.release(isOver || isCancelled)
  }
}

/** Runs what has had no effect when it fails because of a conflict or of the connection. */
export async function repeating<T>(db: Pick<Db, 'outage'>, run: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      const value = await run()
      db.outage.sinceMs = undefined
      return value
    } catch (error) {
      const mayRepeat = isConflict(error) ? count < CONFLICTS_MAX : isLostSoFar(db, error)
      if (!mayRepeat) throw error
    }
    // Random, so that two transactions that conflicted do not meet again.
    await setTimeout(count * (5 + 20 * Math.random()))
  }
}

/**
 * Whether to wait for the server. The patience is that of all requests together: when it is over,
 * each tries once.
 */
function isLostSoFar({ outage }: Pick<Db, 'outage'>, error: unknown): boolean {
  if (!isLost(error) || isCommitUnknown(error)) return false
  outage.sinceMs ??= performance.now()
  return performance.now() - outage.sinceMs < PATIENCE_MS
}

async function mapped<T>(
  { damage }: Db,
  toError: (error: unknown) => unknown,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw damage.watch(toError(error))
  }
}

/** The types of `pg` lack the id of the server's process. */
type Connection = pg.PoolClient & { readonly processID?: number | null }

/**
 * Ends the statements of a connection at the server when a signal aborts. Where that is not
 * possible, their time limit ends them.
 * @returns call it when the connection is no longer used. It resolves with whether it was
 * cancelled: then it must not be used again, because a cancellation may arrive late.
 */
function cancelWhenAborted(
  pool: pg.Pool,
  client: Connection,
  signal: AbortSignal | undefined,
): () => Promise<boolean> {
  let cancelled: Promise<unknown> | undefined
  const cancel = () => {
    cancelled = pool.query('select pg_cancel_backend($1)', [client.processID]).catch(() => {})
  }
  signal?.addEventListener('abort', cancel)
  return async () => {
    signal?.removeEventListener('abort', cancel)
    await cancelled
    return cancelled !== undefined
  }
}
