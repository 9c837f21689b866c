import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createLogIndex } from 'gateway/store/sqlite/log-index.ts'
import { openStore, type Store } from 'gateway/store/sqlite/open.ts'
import { catalogue } from 'schema'

interface SeedLogOptions {
  /** The time of the newest row; now by default. */
  readonly nowMs?: number
  /** The rows are evenly spread over this time; 30 days by default. */
  readonly spanMs?: number
}

type Sqlite = Store['db']['$client']

const DAY_MS = 86_400_000
const SEED_CLIENTS = 20
/** The name of the client with this row id. */
export const seedClientId = (id: number) =>
  `client_17727210220${`${id}`.padStart(2, '0')}_k3v9x2m4q`
/** Only one row has it, twelve hours before the newest one. */
export const RARE_ENDPOINT = '/mx/api/v1/private/order/get/rare-1772721022000'

/** One of ten rows is for one of these paths with an order id, which four rows share. */
const ID_PATH = '/mx/api/v1/private/order/get/'

/**
 * Creates a gateway's database with this many rows in its request log, as 20 bots write them:
 * documented paths, paths with order ids, a tenth of errors, and the totals per minute. About 5 s
 * and 250 MB per million rows.
 * @param path of a file that does not exist yet
 */
export function seedLog(
  path: string,
  rows: number,
  { nowMs = Date.now(), spanMs = 30 * DAY_MS }: SeedLogOptions = {},
): void {
  const store = openStore(path)
  const db = store.db.$client
  try {
    // An interrupted seed leaves a broken file, which is made anew.
    db.pragma('journal_mode = OFF')
    db.pragma('synchronous = OFF')
    db.pragma('foreign_keys = OFF')
    db.pragma('cache_size = -200000')
    const restore = dropExtras(db)
    insertClients(db)
    insertRows(db, rows, nowMs, spanMs)
    insertMinutes(db)
    restore()
    db.pragma('journal_mode = WAL')
  } finally {
    store.close()
  }
}

/**
 * Removes the indexes and triggers of the log, because filling a table without them is faster.
 * @returns a function that creates them again
 */
function dropExtras(db: Sqlite): () => void {
  const extras = db
    .prepare<[], { type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_master
       where type in ('index', 'trigger') and tbl_name = 'request_logs' and sql is not null`,
    )
    .all()
  for (const { type, name } of extras) db.exec(`drop ${type} "${name}"`)
  return () => {
    for (const { sql } of extras) db.exec(sql)
  }
}

function insertClients(db: Sqlite): void {
  const insert = db.prepare(
    `insert into clients (id, client_id, description, secret_hash, secret_preview, active, created_at_ms, updated_at_ms)
     values (?, ?, 'Grid bot', 'h', 'sls_9fQ2...x7Kd', 1, 0, 0)`,
  )
  for (let id = 1; id <= SEED_CLIENTS; id += 1) insert.run(id, seedClientId(id))
}

/** Begins with the row's time, as the gateway's ids do. */
const REQUEST_ID = `printf('%s-%s-7%03x-8c55-%012x', substr(printf('%012x', @nowMs - @spanMs + (i + 1) * @spanMs / @rows), 1, 8),
  substr(printf('%012x', @nowMs - @spanMs + (i + 1) * @spanMs / @rows), 9), i % 4096, i)`

function insertRows(db: Sqlite, rows: number, nowMs: number, spanMs: number): void {
  const calls = catalogue.filter(({ proxy }) => proxy !== undefined)
  db.exec('create temp table seed_calls (n integer primary key, method, endpoint, exchange)')
  const insert = db.prepare('insert into seed_calls values (?, ?, ?, ?)')
  for (const [n, { method, path, proxy }] of calls.entries())
    insert.run(n, method, path, proxy?.exchange)
  // The multipliers have no factor in common with the numbers of clients, calls and statuses, so
  // that all combinations occur.
  db.prepare(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < @rows - 1)
     insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, upstream_ms,
       client_ref, client_id, request_id, exchange, code, note)
     select cast(@nowMs - @spanMs + (i + 1) * @spanMs / @rows as integer), c.method,
       case when i = @rareRow then @rare when i % 10 = 3 then @idPath || (1772721000000 + i / 40) else c.endpoint end,
       case when i % 11 then 200 when i % 3 then 429 when i % 7 then 400 else 502 end,
       i % 301, i % 97, case when i % 11 then i % 199 end,
       1 + i * 7919 / 13 % ${SEED_CLIENTS}, k.client_id, ${REQUEST_ID},
       c.exchange, case when i % 11 = 0 then 'RATE_LIMITED' end,
       case when i % 50 = 0 then 'LIMIT_ORDER_VALUE would have refused this' end
     from n
       join seed_calls c on c.n = i * 104729 / 7 % @calls
       join clients k on k.id = 1 + i * 7919 / 13 % ${SEED_CLIENTS}`,
  ).run({
    rows,
    rareRow: rows - 1 - Math.floor((rows * Math.min(DAY_MS, spanMs)) / spanMs / 2),
    nowMs,
    spanMs,
    calls: calls.length,
    idPath: ID_PATH,
    rare: RARE_ENDPOINT,
  })
}

function insertMinutes(db: Sqlite): void {
  db.exec(
    `insert into log_minutes (minute, client_key, client_ref, total, success, failed, response_ms_sum,
       timed, queue_ms_sum, sent, upstream_ms_sum)
     select at_ms / 60000, client_ref, client_ref, count(*), sum(status_code between 200 and 299),
       sum(status_code >= 400), sum(response_ms), count(*), sum(queue_ms), count(upstream_ms),
       coalesce(sum(upstream_ms), 0)
     from request_logs group by at_ms / 60000, client_ref`,
  )
}

const FOLDER = '.cache/bench'
const MIGRATIONS = 'gateway/drizzle'
/** Older rows would not be of the last days any more. */
const AGE_MS_MAX = 6 * 3_600_000

/**
 * Copies the seeded log, and brings its index up to date as a gateway that ran until now has it:
 * building it in the gateway takes half a minute, and everything else would be measured beside it.
 */
export async function copySeededLog(rows: number, path: string): Promise<void> {
  copyFileSync(await seededLog(rows), path)
  await indexLog(path)
}

async function indexLog(path: string): Promise<void> {
  const store = openStore(path)
  await createLogIndex(store.db, 0).update(Date.now())
  store.close()
}

/**
 * The path of a database with this many rows in its request log, which several benchmarks read. It
 * is made when there is none with today's tables and the last hours. Nobody may change it: copy it
 * first.
 */
async function seededLog(rows: number): Promise<string> {
  const tables = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql')).length
  const path = join(FOLDER, `log-${rows}-${tables}.db`)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && Date.now() - found.mtimeMs < AGE_MS_MAX) return path
  mkdirSync(FOLDER, { recursive: true })
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(`log-${rows}-`)) rmSync(join(FOLDER, name))
  const draft = `${path}.part`
  seedLog(draft, rows)
  await indexLog(draft)
  renameSync(draft, path)
  return path
}
