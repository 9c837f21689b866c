import { NodePgDatabase, NodePgSession } from 'drizzle-orm/node-postgres'
import { PgDialect, type PgPreparedQuery, type PreparedQueryConfig } from 'drizzle-orm/pg-core'
import pg from 'pg'
import type { Queries as SharedQueries } from '../database.ts'
import { storable } from './columns.ts'
import { type Damage, toStoreError } from './postgres-error.ts'

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
