import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { isStoreFailure, StoreUnwritableError } from '../errors.ts'
import { inSteps, type StepsOptions } from '../in-steps.ts'
import { IS_REFUSED } from '../log-filter.ts'
import { createLogRows } from '../log-rows.ts'
import type { LogStore, NewLogRow } from '../log-store.ts'
import { questionsTo, Writability } from '../writability.ts'
import { createDatabase } from './database.ts'
import { createLogReads } from './log-reads.ts'
import type { Db } from './open.ts'
import { toStoreError } from './postgres-error.ts'
import { lockFor } from './session.ts'
import { storable } from './tables.ts'
import { writingOnce, writingUnsynced } from './write.ts'

/** Kinds that one statement looks at. */
const KINDS_AT_ONCE = 500

export function createLogStore(db: Db): LogStore {
  const rows = createLogRows(createDatabase(db))

  return {
    ...createLogWriter(db),
    ...createLogReads(db),
    ...rows,

    // The database keeps its index itself.
    updateIndex: async () => {},
    unindexedRows: async () => 0,

    async removeOlderThan(beforeMs, chunk, options = {}) {
      const removed = await rows.removeOlderThan(beforeMs, chunk, options)
      await removeKinds(db, options)
      return removed
    },
  }
}

/** Removes the kinds that no row of the log has any more. */
async function removeKinds(db: Db, options: StepsOptions): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  await inSteps(async () => {
    const { rows } = await db.execute<{ kind: string; isUsed: boolean }>(
      sql`select kind, ${IS_USED} as "isUsed" from log_kinds where kind > ${after}::uuid
        order by kind limit ${KINDS_AT_ONCE}`,
    )
    const unused = rows.filter(({ isUsed }) => !isUsed).map(({ kind }) => kind)
    if (unused.length > 0)
      await writingUnsynced(db, async (tx) => {
        // No row is being added, so that the next statement sees them all.
        await tx.execute(sql.raw(lockFor('log')))
        await tx.execute(
          sql`delete from log_kinds where kind = any(${sql.param(unused)}::uuid[]) and not ${IS_USED}`,
        )
      })
    after = rows.at(-1)?.kind ?? after
    return rows.length
  }, options)
}

const IS_USED = sql`exists (select 1 from request_logs where request_logs.kind = log_kinds.kind)`

/** Rows of one statement, at most. */
const ROWS_AT_ONCE = 500
/** Rows that wait for the database, at most: while it cannot be reached, some seconds' worth. */
const WAITING_ROWS_MAX = 10_000

interface WaitingRow {
  readonly row: NewLogRow
  readonly resolve: (id: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes log rows: those that came while a statement was under way share the next one. The failure
 * of the server may lose the last ones.
 */
function createLogWriter(db: Db) {
  const writability = new Writability((value) =>
    writingOnce(db, () => query(db, WRITE_MARK, [value])),
  )
  db.damage.onFound((error) => writability.fail(error))
  const waiting: WaitingRow[] = []
  let isRunning = false
  let last: Promise<unknown> = Promise.resolve()

  return {
    append(row: NewLogRow): Promise<number> {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      if (waiting.length < WAITING_ROWS_MAX) waiting.push({ row, resolve, reject })
      else reject(new StoreUnwritableError())
      if (!isRunning) void writeWaiting()
      last = promise
      return promise
    },

    async flush(): Promise<void> {
      // They are written in their order. The caller of `append` gets the error of its row.
      await last.catch(() => {})
    },

    ...questionsTo(writability),
  }

  /** Never rejects: the caller of `append` gets the error of its row. */
  async function writeWaiting(): Promise<void> {
    isRunning = true
    // Rows of the same turn share a statement.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await writeTogether(waiting.splice(0, ROWS_AT_ONCE))
    isRunning = false
  }

  async function writeTogether(rows: readonly WaitingRow[]): Promise<void> {
    try {
      const ids = await writability.attempt(() =>
        insertRows(
          db,
          rows.map(({ row }) => row),
        ),
      )
      for (const [index, { resolve }] of rows.entries()) resolve(ids[index] as number)
    } catch (error) {
      // Later rows have waited as well, and each attempt may take seconds.
      const isAway = isStoreFailure(error)
      const failed = isAway ? [...rows, ...waiting.splice(0)] : rows
      if (isAway || rows.length === 1) for (const { reject } of failed) reject(error)
      // One of them is at fault.
      else for (const row of rows) await writeTogether([row])
    }
  }
}

/** Inserts rows and counts them up, and returns their ids. */
async function insertRows(db: Db, rows: readonly NewLogRow[]): Promise<number[]> {
  const values = COLUMNS.map(({ of }) => rows.map(of))
  const found = await writingOnce(db, () => query<{ id: number }>(db, INSERT_ROWS, values))
  return found.map(({ id }) => id)
}

async function query<Row extends pg.QueryResultRow>(
  { pool, damage }: Db,
  statement: { readonly name: string; readonly text: string },
  values: unknown[],
): Promise<Row[]> {
  try {
    return (await pool.query<Row>({ ...statement, values })).rows
  } catch (error) {
    throw damage.watch(toStoreError(error))
  }
}

const WRITE_MARK = {
  name: 'log_write_mark',
  text: `insert into settings (name, value) values ('write_probe', $1)
    on conflict (name) do update set value = excluded.value`,
}

interface Column {
  readonly name: string
  readonly type: 'bigint' | 'text' | 'boolean'
  readonly of: (row: NewLogRow) => string | number | boolean | null
}

const whole = (value: number | null) => (value === null ? null : Math.round(value))
const textual = (value: string | null) => (value === null ? null : storable(value))

const COLUMNS: readonly Column[] = [
  { name: 'at_ms', type: 'bigint', of: ({ atMs }) => whole(atMs) },
  { name: 'method', type: 'text', of: ({ method }) => textual(method) },
  { name: 'endpoint', type: 'text', of: ({ endpoint }) => textual(endpoint) },
  { name: 'status_code', type: 'bigint', of: ({ statusCode }) => statusCode },
  { name: 'response_ms', type: 'bigint', of: ({ responseMs }) => whole(responseMs) },
  { name: 'queue_ms', type: 'bigint', of: ({ queueMs }) => whole(queueMs) },
  { name: 'upstream_ms', type: 'bigint', of: ({ upstreamMs }) => whole(upstreamMs) },
  { name: 'client_ref', type: 'bigint', of: ({ clientRef }) => clientRef },
  { name: 'client_id', type: 'text', of: ({ clientId }) => textual(clientId) },
  { name: 'request_id', type: 'text', of: ({ requestId }) => textual(requestId) },
  { name: 'exchange', type: 'text', of: ({ exchange }) => exchange },
  { name: 'code', type: 'text', of: ({ code }) => textual(code) },
  { name: 'shared', type: 'boolean', of: ({ shared }) => shared },
  { name: 'note', type: 'text', of: ({ note }) => textual(note) },
  { name: 'message', type: 'text', of: ({ message }) => textual(message) },
]

const NAMES = COLUMNS.map(({ name }) => name).join(', ')
const ARRAYS = COLUMNS.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
const CLIENT_REFS = `$${COLUMNS.findIndex(({ name }) => name === 'client_ref') + 1}::bigint[]`
/** A row keeps the name of a client that was deleted, and no reference to it. */
const INSERTED = NAMES.replace('client_ref', 'present.id')
const COUNTED = [
  ...['total', 'success', 'failed', 'refused', 'response_ms_sum', 'timed', 'queue_ms_sum'],
  ...['sent', 'upstream_ms_sum'],
]

/**
 * One statement, and so one transaction, whatever the number of rows. It locks the clients before
 * it writes: one that is being deleted is waited for, and is then absent. It does not wait for the
 * disk.
 */
const INSERT_ROWS = {
  name: 'log_insert_rows',
  text: `with unsynced as materialized (select set_config('synchronous_commit', 'off', true)),
    present as materialized (
      select id from clients where id = any(${CLIENT_REFS}) order by id for key share
    ),
    rows as materialized (
      select ${INSERTED.replace('present.id', 'present.id as client_ref')}, place
      from unsynced cross join unnest(${ARRAYS}) with ordinality as given (${NAMES}, place)
        left join present on present.id = given.client_ref
    ),
    counted as (
      insert into log_minutes (minute, client_key, client_ref, ${COUNTED.join(', ')})
      select at_ms / 60000, coalesce(client_ref, 0), client_ref, count(*),
        count(*) filter (where status_code between 200 and 299),
        count(*) filter (where status_code >= 400), count(*) filter (where ${IS_REFUSED}),
        sum(response_ms), count(*), sum(queue_ms),
        count(upstream_ms), coalesce(sum(upstream_ms), 0)
      from rows group by 1, 2, 3 order by 1, 2
      on conflict (minute, client_key) do update
        set ${COUNTED.map((name) => `${name} = log_minutes.${name} + excluded.${name}`).join(', ')}
    ),
    inserted as (
      insert into request_logs (${NAMES}) select ${NAMES} from rows order by place returning id
    )
    select id from inserted order by id`,
}
