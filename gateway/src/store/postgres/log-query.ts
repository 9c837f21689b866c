import type pg from 'pg'
import type { Db } from './open.ts'
import { isLost, toStoreError } from './postgres-error.ts'
import { repeating } from './write.ts'

/** Values by the names that a statement has for them: `@name`. */
export type LogParams = Readonly<Record<string, string | number>>

/**
 * Runs a statement that reads the log. It has connections and a time limit of its own, so it takes
 * none from an order. The server ends it when the signal aborts.
 * @throws the signal's reason, StoreUnwritableError, StoreDamagedError
 */
export function readLog<Row extends pg.QueryResultRow>(
  db: Db,
  text: string,
  params: LogParams,
  signal?: AbortSignal,
): Promise<Row[]> {
  const query = toQuery(text, params)
  return repeating(db, () => readOnce<Row>(db, query, signal))
}

async function readOnce<Row extends pg.QueryResultRow>(
  db: Db,
  query: pg.QueryConfig,
  signal: AbortSignal | undefined,
): Promise<Row[]> {
  let client: pg.PoolClient | undefined
  let cancelled: Promise<unknown> | undefined
  let isOver = false
  const cancel = () => {
    if (client !== undefined) cancelled = cancelStatement(db, client)
  }
  signal?.addEventListener('abort', cancel)
  try {
    client = await db.slowPool.connect()
    signal?.throwIfAborted()
    return (await client.query<Row>(query)).rows
  } catch (error) {
    signal?.throwIfAborted()
    const storeError = db.damage.watch(toStoreError(error))
    isOver = isLost(storeError)
    throw storeError
  } finally {
    signal?.removeEventListener('abort', cancel)
    await cancelled
    // A cancellation may arrive late, and would end another statement.
    client?.release(isOver || cancelled !== undefined)
  }
}

/** When it cannot be ended, the time limit ends it. */
async function cancelStatement(db: Db, client: Connection): Promise<void> {
  await db.pool.query('select pg_cancel_backend($1)', [client.processID]).catch(() => {})
}

/** The types of `pg` lack the id of the server's process. */
type Connection = pg.PoolClient & { readonly processID?: number | null }

/** Puts positions in place of the names. */
function toQuery(text: string, params: LogParams): pg.QueryConfig {
  const names: string[] = []
  const positional = text.replaceAll(/@(\w+)/g, (_match, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text: positional, values: names.map((name) => toValue(params[name])) }
}

/** As the columns are: text has no NUL (`columns.ts`), times and ids are whole. */
function toValue(value: string | number | undefined): unknown {
  if (typeof value === 'number') return Math.ceil(value)
  return value?.replaceAll('\0', '\u{fffd}')
}
