import type Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { MIGRATIONS_FOLDER } from '../database-path.ts'
import { MIGRATED_BY, NotOurDatabaseError, storeTooNew } from '../errors.ts'

/**
 * Checks, without writing, that a database is empty or was created by this or an older version.
 * @throws NotOurDatabaseError, StoreTooNewError
 */
export function checkDatabase(client: Database.Database, path: string): void {
  const applied = appliedMigrations(client)
  if (applied === undefined && hasTables(client)) {
    throw new NotOurDatabaseError(path, 'it holds the tables of another program')
  }
  const known = knownMigrations()
  const newer = applied?.findLast((hash) => !known.has(hash))
  if (newer !== undefined) throw storeTooNew(path, releaseOf(client, newer))
}

/** The release that made a migration; null when it is not known. */
function releaseOf(client: Database.Database, hash: string): string | null | undefined {
  if (!hasReleases(client)) return null
  const read = client.prepare<[string], string | null>(
    'select release from __drizzle_migrations where hash = ?',
  )
  return read.pluck().get(hash)
}

/** Whether the tables keep which release made each migration. */
const hasReleases = (client: Database.Database): boolean =>
  client
    .prepare<[], string>(`select name from pragma_table_info('__drizzle_migrations')`)
    .pluck()
    .all()
    .includes('release')

/**
 * Migrates a database to this version, all steps in one transaction. Foreign keys must be off: a
 * generated step that rebuilds a table drops the old one, and the drop would cascade.
 */
export function applyMigrations(client: Database.Database): void {
  if (isUpToDate(client)) return
  try {
    migrate<Record<string, never>>(drizzle({ client }), { migrationsFolder: MIGRATIONS_FOLDER })
  } catch (error) {
    // When two first starts run at once, the slower one finds the tables already created, which is
    // fine.
    if (!isUpToDate(client)) throw error
  }
  if (!hasReleases(client)) client.exec('alter table __drizzle_migrations add column release text')
  client
    .prepare('update __drizzle_migrations set release = ? where release is null')
    .run(MIGRATED_BY)
}

/** Whether a value is the hash of a migration that this program knows. */
export const isMigration = (value: unknown): value is string =>
  typeof value === 'string' && knownMigrations().has(value)

/**
 * Migrates an empty database to the version of another one.
 * @param hashes of the migrations that the other one has; undefined for all
 * @throws StoreTooNewError
 */
export function migrateLike(
  client: Database.Database,
  hashes: readonly string[] | undefined,
  path: string,
): void {
  const known = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER })
  if (hashes?.some((hash) => known.every((one) => one.hash !== hash)))
    throw storeTooNew(path, undefined)
  const count = known.findLastIndex(({ hash }) => hashes?.includes(hash) ?? true) + 1
  // As drizzle creates it, so that it applies the later ones afterwards.
  client.exec(
    'create table __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric, release text)',
  )
  const insert = client.prepare(
    'insert into __drizzle_migrations (hash, created_at, release) values (?, ?, ?)',
  )
  for (const { sql, hash, folderMillis } of known.slice(0, count)) {
    for (const statement of sql) client.exec(statement)
    insert.run(hash, BigInt(folderMillis), MIGRATED_BY)
  }
}

/**
 * Returns a function that counts the migrations that a database lacks, out of those that this
 * program knew at its start. The count is above 0 when another file has replaced the one that was
 * opened. It only reads the database.
 */
export function watchMigrations(client: Database.Database): () => number {
  const known = [...knownMigrations()]
  return () => {
    const applied = new Set(appliedMigrations(client))
    return known.filter((hash) => !applied.has(hash)).length
  }
}

/** Whether a database has every migration that this program knows. */
export function isUpToDate(client: Database.Database): boolean {
  return appliedMigrations(client)?.length === knownMigrations().size
}

let known: ReadonlySet<string> | undefined

/** The hashes of this program's migrations; read once. */
function knownMigrations(): ReadonlySet<string> {
  known ??= new Set(
    readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ hash }) => hash),
  )
  return known
}

/** The hashes of the migrations that were applied; undefined when there were none. */
function appliedMigrations(client: Database.Database): string[] | undefined {
  const isKept = client
    .prepare<[], number>(
      `select 1 from sqlite_master where type = 'table' and name = '__drizzle_migrations'`,
    )
    .pluck()
    .get()
  if (isKept === undefined) return undefined
  return client.prepare<[], string>('select hash from __drizzle_migrations').pluck().all()
}

function hasTables(client: Database.Database): boolean {
  return client.prepare(`select 1 from sqlite_master where type = 'table'`).get() !== undefined
}

/**
 * Removes all triggers: they would reject rows of an audit trail with gaps.
 * @returns their SQL, which makes them again
 */
export function removeTriggers(client: Database.Database): string[] {
  const triggers = client
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from sqlite_schema where type = 'trigger'`,
    )
    .all()
  for (const { name } of triggers) client.exec(`drop trigger "${name}"`)
  return triggers.map(({ sql }) => sql)
}
