import { NodePgDatabase, NodePgSession } from 'drizzle-orm/node-postgres'
import { PgDialect, type PgPreparedQuery, type PreparedQueryConfig } from 'drizzle-orm/pg-core'
import pg from 'pg'
import type { Queries as SharedQueries } from '../database.ts'
import { type Damage, toStoreError } from './postgres-error.ts'
import { storable } from './tables.ts'

/** What a statement is made with: a pool's, one for each, or that of a transaction. */
export type Queries = SharedQueries & Pick<NodePgDatabase, 'execute'>

// `count(*)` is an int8 and a sum of them a numeric, which `pg` returns as text. This sets it for
// the process, because drizzle asks for no other.
pg.types.setTypeParser(pg.types.builtins.INT8, toNumber)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, toNumber)

const dialect = new PgDialect()

/**
 * Drizzle over a connection or a pool. Whatever a statement fails with is an error that a caller
 * may see, or a PostgresError: drizzle's own quotes the statement's values, which may be secrets.
 */
export function queriesOn(client: pg.Pool | pg.PoolClient, damage: Damage): Queries {
  const session = new Session(client, dialect, undefined, damage)
  return new NodePgDatabase(dialect, session, undefined) as unknown as Queries
}

/** Prepares a statement at the server, under a name that no other one has. */
export const named = <Prepared>(query: { prepare(): Prepared }, name: string): Prepared =>
  (query as { prepare(name: string): Prepared }).prepare(name)

/** Locks the rows that a query returns, but for those that another transaction has locked. */
export const skippingLocked = <Query>(query: Query): Query =>
  (query as Query & Lockable).for('update', { skipLocked: true })

/** What the builders of PostgreSQL have, and those of SQLite do not. */
export interface Lockable {
  for(strength: 'update' | 'share', config?: { readonly skipLocked: true }): this
}

type Prepare<T extends PreparedQueryConfig> = Parameters<
  typeof NodePgSession.prototype.prepareQuery<T>
>

class Session extends NodePgSession<Record<string, never>, Record<string, never>> {
  readonly #damage: Damage

  constructor(client: pg.Pool | pg.PoolClient, own: PgDialect, schema: undefined, damage: Damage) {
    super(client, own, schema)
    this.#damage = damage
  }

  override prepareQuery<T extends PreparedQueryConfig = PreparedQueryConfig>(
    ...[{ params, ...query }, ...rest]: Prepare<T>
  ): PgPreparedQuery<T> {
    const prepared = super.prepareQuery<T>({ ...query, params: params.map(toStorable) }, ...rest)
    const execute = prepared.execute.bind(prepared)
    prepared.execute = async (values) => {
      try {
        return await execute(values && mapValues(values))
      } catch (error) {
        throw this.#damage.watch(toStoreError(error))
      }
    }
    return prepared
  }
}

/** A text with a NUL, from a token or a search, would end its statement: it finds nothing. */
function toStorable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toStorable)
  return typeof value === 'string' ? storable(value) : value
}

const mapValues = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toStorable(value)]))

function toNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`The database returned ${text}, which is not exact as a number`)
  return value
}

/** Names the locks of Sluice among those of a database: any number that nobody else uses. */
const LOCK_CLASS = 0x51_1c_ed
/** Of the locks that say how many migrations a node knows. */
export const MIGRATIONS_CLASS = LOCK_CLASS + 2

/**
 * `migrations`: a start migrates. `indexes`: one makes indexes while gateways write. `changes`: an
 * administrator changes something. `log`: kinds of log rows are added or removed. `owner`: a node
 * is the owner of the exchanges. `rotation`: a command changes the master key. `calls`: a command
 * calls the exchanges.
 */
const LOCKS = {
  migrations: 1,
  changes: 2,
  log: 3,
  owner: 4,
  rotation: 5,
  calls: 6,
  indexes: 7,
} as const
type Lock = keyof typeof LOCKS

/** SQL that takes a lock until the end of the transaction, and waits for it. */
export const lockFor = (lock: Lock): string =>
  `select pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** SQL that takes a lock until the end of the session, unless another session has it. */
export const tryLockFor = (lock: Lock): string =>
  `select pg_try_advisory_lock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** SQL that gives it back. */
export const unlockFor = (lock: Lock): string =>
  `select pg_advisory_unlock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** SQL that is true while a session of this database has the lock. */
export const isLocked = (lock: Lock): string =>
  `exists (select 1 from pg_locks where locktype = 'advisory' and granted and objsubid = 2
     and database = (select oid from pg_database where datname = current_database())
     and classid = ${LOCK_CLASS} and objid = ${LOCKS[lock]})`
