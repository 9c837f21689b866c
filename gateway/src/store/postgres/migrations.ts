import { readMigrationFiles } from 'drizzle-orm/migrator'
import type pg from 'pg'
import { NotOurDatabaseError, StoreTooNewError, StoreUnopenableError } from '../errors.ts'
import { POSTGRES_MIGRATIONS_FOLDER } from '../migrations-folder.ts'

/** Of the advisory locks of a Sluice database: any number that nobody else uses. */
export const LOCK_CLASS = 0x51_1c_ed

/** The advisory locks: the first number is `LOCK_CLASS`. */
export const LOCKS = { migrations: 1, changes: 2, log: 3, owner: 4, rotation: 5, node: 6 } as const

/** SQL that takes a lock until the end of the transaction, and waits for it. */
export const lockFor = (lock: keyof typeof LOCKS): string =>
  `select pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** SQL that takes a lock until the end of the session, unless another session has it. */
export const tryLockFor = (lock: keyof typeof LOCKS): string =>
  `select pg_try_advisory_lock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** SQL that gives it back. */
export const unlockFor = (lock: keyof typeof LOCKS): string =>
  `select pg_advisory_unlock(${LOCK_CLASS}, ${LOCKS[lock]})`

/** How long a start waits for another one that migrates. */
const LOCK_WAIT_MS = 120_000

const TABLE = '__drizzle_migrations'

/**
 * Migrates a database to this version, all steps in one transaction. When several nodes start at
 * once, one migrates, and the others find that it is done.
 * @param client whose statements have no time limit
 * @throws NotOurDatabaseError, StoreTooNewError, StoreUnopenableError; then nothing was changed
 */
export async function applyMigrations(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(
    `begin isolation level read committed; set local lock_timeout = ${LOCK_WAIT_MS}; set local statement_timeout = 0`,
  )
  try {
    await client.query(lockFor('migrations'))
    const applied = await appliedMigrations(client)
    await requireOurs(client, applied, name)
    if (applied === undefined)
      await client.query(
        `create table ${TABLE} (id serial primary key, hash text not null, created_at bigint)`,
      )
    for (const { sql, hash, folderMillis } of known()) {
      if (applied?.includes(hash)) continue
      for (const statement of sql) await client.query(inAnySchema(statement))
      await client.query(`insert into ${TABLE} (hash, created_at) values ($1, $2)`, [
        hash,
        folderMillis,
      ])
    }
    await client.query('commit')
  } catch (error) {
    // Without a connection there is nothing to roll back.
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** How many migrations a database lacks. It only reads. */
export async function countPending(pool: Pick<pg.ClientBase, 'query'>): Promise<number> {
  const applied = await appliedMigrations(pool)
  return known().filter(({ hash }) => !applied?.includes(hash)).length
}

/**
 * Checks, without writing, that this or an older version of Sluice made the tables, or that there
 * are none.
 * @returns whether there are tables
 * @throws NotOurDatabaseError, StoreTooNewError, StoreUnopenableError
 */
export async function checkDatabase(client: pg.ClientBase, name: string): Promise<boolean> {
  const applied = await appliedMigrations(client)
  await requireOurs(client, applied, name)
  return applied !== undefined && applied.length > 0
}

async function requireOurs(
  client: pg.ClientBase,
  applied: readonly string[] | undefined,
  name: string,
): Promise<void> {
  const isOurs = applied?.some((hash) => known().some((one) => one.hash === hash)) ?? false
  if (!isOurs && (await hasTables(client)))
    throw new NotOurDatabaseError(name, 'it holds the tables of another program')
  if (applied?.some((hash) => known().every((one) => one.hash !== hash)))
    throw new StoreTooNewError(name)
  const { rows } = await client.query<{ schema: string | null; encoding: string }>(
    `select current_schema() as schema, current_setting('server_encoding') as encoding`,
  )
  if (rows[0]?.schema === null)
    throw new StoreUnopenableError(name, 'the search_path of this user names no schema that exists')
  if (rows[0]?.encoding !== 'UTF8')
    throw new StoreUnopenableError(
      name,
      `its encoding is ${rows[0]?.encoding}; create it with: create database NAME encoding 'UTF8' template template0`,
    )
}

let files: ReturnType<typeof readMigrationFiles> | undefined

/** This program's migrations, oldest first; read once. */
function known() {
  files ??= readMigrationFiles({ migrationsFolder: POSTGRES_MIGRATIONS_FOLDER })
  return files
}

/** The tables are made in the schema of the role's search_path: drizzle writes `public` into it. */
const inAnySchema = (statement: string): string => statement.replaceAll('"public".', '')

/** The hashes of the migrations that were applied; undefined when there were none. */
async function appliedMigrations(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<string[] | undefined> {
  const { rows: found } = await client.query<{ table: string | null }>(
    `select to_regclass(quote_ident(current_schema()) || '.${TABLE}') as table`,
  )
  if ((found[0]?.table ?? null) === null) return undefined
  const { rows } = await client.query<{ hash: string }>(`select hash from ${TABLE}`)
  return rows.map(({ hash }) => hash)
}

/** Tables of the schema, without those that belong to an extension. */
async function hasTables(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from pg_class where relnamespace = (select oid from pg_namespace where nspname = current_schema())
       and relkind in ('r', 'p') and relname <> '${TABLE}'
       and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
     limit 1`,
  )
  return rowCount !== 0
}
