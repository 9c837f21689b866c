import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { readMigrationFiles } from 'drizzle-orm/migrator'

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** The steps that were ever released, oldest first, as drizzle writes them down in a database. */
export const migrations = readMigrationFiles({ migrationsFolder })

export type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/**
 * Makes a database file as the program did when it had so many migrations, with rows: of tables and
 * columns that came later, nothing is kept.
 */
export function makeOlderDatabase(path: string, steps: number, rows: Rows): void {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.exec(
    'CREATE TABLE "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  )
  for (const { sql, hash, folderMillis } of migrations.slice(0, steps)) {
    for (const statement of sql) db.exec(statement)
    db.prepare('insert into "__drizzle_migrations" (hash, created_at) values (?, ?)').run(
      hash,
      folderMillis,
    )
  }
  for (const [table, some] of Object.entries(rows)) {
    const known = columnsOf(db, table)
    for (const row of some)
      insert(
        db,
        table,
        Object.entries(row).filter(([name]) => known.has(name)),
      )
  }
  db.close()
}

/** All rows of a database, by table. */
export function readAll(path: string): Rows {
  const db = new Database(path, { readonly: true })
  const tables = db
    .prepare<[], string>(
      `select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name <> '__drizzle_migrations'`,
    )
    .pluck()
    .all()
  const all = tables.map((table) => [
    table,
    db.prepare<[], Record<string, unknown>>(`select * from "${table}" order by 1`).all(),
  ])
  db.close()
  return Object.fromEntries(all)
}

function columnsOf(db: Database.Database, table: string): ReadonlySet<string> {
  return new Set(
    db.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table),
  )
}

function insert(
  db: Database.Database,
  table: string,
  columns: readonly (readonly [name: string, value: unknown])[],
): void {
  if (columns.length === 0) return
  const names = columns.map(([name]) => name).join()
  const marks = columns.map(() => '?').join()
  db.prepare(`insert into "${table}" (${names}) values (${marks})`).run(
    columns.map(([, value]) => value),
  )
}
