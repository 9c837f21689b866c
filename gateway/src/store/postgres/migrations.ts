import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type pg from 'pg'
import { POSTGRES_MIGRATIONS_FOLDER } from '../database-path.ts'
import {
  MIGRATED_BY,
  NodesTooOldError,
  NotOurDatabaseError,
  StoreUnopenableError,
  storeTooNew,
} from '../errors.ts'
import { isInTheWay } from './postgres-error.ts'
import { lockFor, MIGRATIONS_CLASS, tryLockFor, unlockFor } from './session.ts'

/** A migration that this program has. */
interface Migration {
  readonly name: string
  readonly statements: readonly string[]
  readonly hash: string
  readonly madeAtMs: number
  /**
   * The migration that a gateway must know to run on the tables as this one leaves them. Null: any
   * gateway that ran on them before can keep running, because this one only adds.
   */
  readonly needs: string | null
}

/**
 * The line of a migration that takes something away: `-- contract: needs 0005_name`. The gateways
 * that know the migration that it names no longer use what goes (CONTRIBUTING.md).
 */
const CONTRACT = /^-- contract: needs (\w+)$/m

/**
 * A statement that makes an index while gateways write. Any other one keeps writes to the table
 * waiting until it has read the whole table, and on a big one orders would fail.
 */
const CONCURRENT = /^\s*CREATE INDEX CONCURRENTLY "(\w+)"/

let files: readonly Migration[] | undefined

/** This program's migrations, oldest first; read once. */
export function knownMigrations(): readonly Migration[] {
  files ??= readMigrations(POSTGRES_MIGRATIONS_FOLDER)
  return files
}

/** The migrations in a folder that drizzle-kit made, oldest first. */
export function readMigrations(folder: string): readonly Migration[] {
  const journal: { readonly entries: readonly { readonly tag: string }[] } = JSON.parse(
    readFileSync(join(folder, 'meta', '_journal.json'), 'utf8'),
  )
  return readMigrationFiles({ migrationsFolder: folder }).map(
    ({ sql, hash, folderMillis }, index) => ({
      ...{ name: journal.entries[index]?.tag ?? '', statements: sql, hash, madeAtMs: folderMillis },
      needs: CONTRACT.exec(sql.join('\n'))?.[1] ?? null,
    }),
  )
}

/** How long a start waits for another one that migrates, or for others that use the tables. */
const LOCK_WAIT_MS = 120_000
/**
 * How long a migration waits for a table that somebody reads, such as an export. Every later
 * statement on the table waits behind it, orders too, so it gives up and tries again.
 */
const TABLE_WAIT_MS = 1_000
const AGAIN_MS = 500

const TABLE = '__drizzle_migrations'

/** What a database remembers of a migration. */
interface Applied extends Pick<Migration, 'hash' | 'needs'> {
  /** That made it; null where the release before 1.0.0 did. */
  readonly release: string | null
}

/**
 * Migrates a database to this version, all steps in one transaction but for the indexes that are
 * made while gateways write: those follow, also those that an earlier start did not finish. When
 * several nodes start at once, one migrates, and the others find that it is done. Gateways of the
 * version before keep running during it, and on the new tables.
 * @param client whose statements have no time limit
 * @throws NotOurDatabaseError, StoreTooNewError, NodesTooOldError, StoreUnopenableError; then
 * nothing was changed
 */
export async function applyMigrations(client: pg.ClientBase, name: string): Promise<void> {
  for (const untilMs = performance.now() + LOCK_WAIT_MS; ; await setTimeout(AGAIN_MS)) {
    try {
      await applyOnce(client, name)
      return await makeIndexes(client)
    } catch (error) {
      if (!isInTheWay(error) || performance.now() > untilMs) throw error
    }
  }
}

async function applyOnce(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(
    `begin isolation level read committed; set local lock_timeout = ${LOCK_WAIT_MS}; set local statement_timeout = 0`,
  )
  try {
    await client.query(lockFor('migrations'))
    const applied = await appliedMigrations(client)
    await requireOurs(client, applied, name)
    const pending = pendingOf(applied)
    if (pending.length > 0) {
      await requireNodesKnow(client, pending, name)
      await client.query(`set local lock_timeout = ${TABLE_WAIT_MS}`)
      await apply(client, pending)
    }
    await client.query('commit')
  } catch (error) {
    // Without a connection there is nothing to roll back.
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function apply(client: pg.ClientBase, pending: readonly Migration[]): Promise<void> {
  await client.query(
    `create table if not exists ${TABLE} (id serial primary key, hash text not null, created_at bigint);
     alter table ${TABLE} add column if not exists needs text;
     alter table ${TABLE} add column if not exists release text`,
  )
  for (const { statements, hash, madeAtMs, needs } of pending) {
    for (const statement of statements.filter((one) => !CONCURRENT.test(one)))
      await client.query(inAnySchema(statement))
    await client.query(
      `insert into ${TABLE} (hash, created_at, needs, release) values ($1, $2, $3, $4)`,
      [hash, madeAtMs, needs, MIGRATED_BY],
    )
  }
}

/** Makes the indexes that are missing, or whose making was interrupted. */
async function makeIndexes(client: pg.ClientBase): Promise<void> {
  if ((await missingIndexes(client)).length === 0) return
  // Not waited for: the making of an index waits for all transactions, so for one that waits here.
  const { rows } = await client.query<{ has: boolean }>(`${tryLockFor('indexes')} as has`)
  // Another start makes them. Until then some lists are slower.
  if (rows[0]?.has !== true) return
  try {
    for (const { name, statement } of await missingIndexes(client)) {
      await client.query(`drop index concurrently if exists "${name}"`)
      await client.query(inAnySchema(statement))
    }
  } finally {
    // Without a connection the lock is gone.
    await client.query(unlockFor('indexes')).catch(() => {})
  }
}

async function missingIndexes(client: pg.ClientBase) {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
     where indisvalid and relnamespace = (select oid from pg_namespace where nspname = current_schema())`,
  )
  const whole = new Set(rows.map(({ name }) => name))
  return knownMigrations()
    .flatMap(({ statements }) => statements)
    .map((statement) => ({ statement, name: CONCURRENT.exec(statement)?.[1] }))
    .filter(({ name }) => name !== undefined && !whole.has(name))
}

/** A migration that takes something away waits until no gateway runs that still uses it. */
async function requireNodesKnow(
  client: pg.ClientBase,
  pending: readonly Migration[],
  name: string,
): Promise<void> {
  const names = knownMigrations().map((migration) => migration.name)
  const most = Math.max(-1, ...pending.map(({ needs }) => names.indexOf(needs ?? '')))
  if (most < 0) return
  const tooOld = (await readKnowledge(client)).filter(({ migrations }) => migrations <= most)
  if (tooOld.length > 0) throw new NodesTooOldError(name, tooOld.map(({ node }) => node).join(', '))
}

/** The nodes that run on a database, with how many migrations each knows (`owner-lock.ts`). */
async function readKnowledge(client: pg.ClientBase) {
  const { rows } = await client.query<{ node: string; migrations: number }>(
    `select coalesce(host(client_addr), 'this machine') as node, objid::int as migrations
     from pg_locks left join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = ${MIGRATIONS_CLASS}
       and database = (select oid from pg_database where datname = current_database())
     order by 1, pid`,
  )
  return rows
}

interface MigrationsFound {
  /** How many migrations of this program the database lacks. */
  readonly pending: number
  /** How many it has that a newer program made. */
  readonly newer: number
  /** Whether one of these takes away what this program uses. */
  readonly isTooNew: boolean
}

/** Compares a database with this program. It only reads. */
export async function findMigrations(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<MigrationsFound> {
  const applied = await appliedMigrations(client)
  const newer = newerOf(applied)
  return { pending: pendingOf(applied).length, newer: newer.length, isTooNew: isTooNew(newer) }
}

/** How many migrations a database lacks. It only reads. */
export async function countPending(client: Pick<pg.ClientBase, 'query'>): Promise<number> {
  return (await findMigrations(client)).pending
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
  // Not even what a newer version only added: this program knows nothing of it.
  const newer = newerOf(applied)
  if (newer.length > 0) throw storeTooNew(name, newer.at(-1)?.release)
  return applied !== undefined && applied.length > 0
}

async function requireOurs(
  client: pg.ClientBase,
  applied: readonly Applied[] | undefined,
  name: string,
): Promise<void> {
  const newer = newerOf(applied)
  const isOurs = newer.length < (applied?.length ?? 0)
  if (!isOurs && (await hasTables(client)))
    throw new NotOurDatabaseError(name, 'it holds the tables of another program')
  if (isTooNew(newer)) throw storeTooNew(name, newer.at(-1)?.release)
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

const pendingOf = (applied: readonly Applied[] | undefined): readonly Migration[] =>
  knownMigrations().filter(({ hash }) => applied?.every((one) => one.hash !== hash) ?? true)

const newerOf = (applied: readonly Applied[] = []): readonly Applied[] =>
  applied.filter(({ hash }) => knownMigrations().every((one) => one.hash !== hash))

/** Whether a newer version has taken away what this program uses. */
const isTooNew = (newer: readonly Applied[]): boolean =>
  newer.some(({ needs }) => needs !== null && knownMigrations().every((one) => one.name !== needs))

/** The tables are made in the schema of the role's search_path: drizzle writes `public` into it. */
const inAnySchema = (statement: string): string => statement.replaceAll('"public".', '')

/** The migrations that were applied; undefined when there were none. */
async function appliedMigrations(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<Applied[] | undefined> {
  const { rows: found } = await client.query<{ table: string | null }>(
    `select to_regclass(quote_ident(current_schema()) || '.${TABLE}') as table`,
  )
  if ((found[0]?.table ?? null) === null) return undefined
  // Tables that earlier versions made lack the two columns.
  const { rows } = await client.query<Applied>(
    `select hash, to_jsonb(applied) ->> 'needs' as needs, to_jsonb(applied) ->> 'release' as release
     from ${TABLE} as applied order by id`,
  )
  return rows
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
