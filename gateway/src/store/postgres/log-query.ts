import type pg from 'pg'
import { cancelWhenAborted } from './cancel.ts'
import { storable } from './columns.ts'
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
  let done: (() => Promise<boolean>) | undefined
  let isOver = false
  try {
    client = await db.slowPool.connect()
    signal?.throwIfAborted()
    done = cancelWhenAborted(db.pool, client, signal)
    return (await client.query<Row>(query)).rows
  } catch (error) {
    signal?.throwIfAborted()
    const storeError = db.damage.watch(toStoreError(error))
    isOver = isLost(storeError)
    throw storeError
  } finally {
    const isCancelled = await done?.()
    client?.release(isOver || isCancelled)
  }
}

/** Puts positions in place of the names. */
function toQuery(text: string, params: LogParams): pg.QueryConfig {
  const names: string[] = []
  const positional = text.replaceAll(/@(\w+)/g, (_match, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text: positional, values: names.map((name) => toValue(params[name])) }
}

/** As the columns are: text has no NUL, times and ids are whole. */
function toValue(value: string | number | undefined): unknown {
  return typeof value === 'string' ? storable(value) : value && Math.ceil(value)
}
