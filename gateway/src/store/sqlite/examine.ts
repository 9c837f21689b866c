import Database from 'better-sqlite3'
import type { AuditHead } from '../audit-chain.ts'
import { DamagedDatabaseError } from '../errors.ts'
import { checkDatabase } from './migrations.ts'
import { toOpenError } from './sqlite-error.ts'

/** The result of examining a database file. */
export interface DatabaseSummary {
  /** Number of rows by table, without SQLite's own tables and the list of migrations. */
  readonly rows: Readonly<Record<string, number>>
  /** Ids of all master keys that are needed to open the sealed values. */
  readonly keyIds: readonly string[]
  /** The last entry of the audit trail; undefined when there is none. */
  readonly auditHead: AuditHead | undefined
}

/**
 * Examines a database file: every page, every reference, its version. A gateway may use it at the
 * same time. Nothing is changed.
 * @param name of the file for error messages, when `path` is a copy of it
 * @throws DamagedDatabaseError, NotOurDatabaseError, StoreTooNewError, StoreUnopenableError
 */
export function examineDatabase(path: string, name = path): DatabaseSummary {
  try {
    const client = new Database(path, { readonly: true, fileMustExist: true })
    try {
      checkDatabase(client, name)
      checkIntegrity(client, name)
      return summaryOf(client)
    } finally {
      client.close()
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CORRUPT'))
      throw new DamagedDatabaseError(name, 'SQLite cannot read it; it may be cut short')
    throw toOpenError(error, name)
  }
}

/**
 * The tables of a damaged database that have damaged pages, or indexes with such pages.
 * @returns undefined when the list of tables cannot be read
 */
export function damagedTables(path: string): string[] | undefined {
  try {
    const client = new Database(path, { readonly: true, fileMustExist: true })
    try {
      return client
        .prepare<[], string>(`select name from sqlite_schema where type = 'table'`)
        .pluck()
        .all()
        .filter((name) => !isWhole(client, name))
    } finally {
      client.close()
    }
  } catch (error) {
    if (error instanceof Database.SqliteError) return undefined
    throw error
  }
}

function isWhole(client: Database.Database, table: string): boolean {
  try {
    return client.pragma(`quick_check("${table}")`, { simple: true }) === 'ok'
  } catch (error) {
    if (error instanceof Database.SqliteError) return false
    throw error
  }
}

/** @throws DamagedDatabaseError */
function checkIntegrity(client: Database.Database, path: string): void {
  const found = client.prepare<[], string>('pragma integrity_check(3)').pluck().all()
  if (found.join() !== 'ok')
    throw new DamagedDatabaseError(path, found.join('; ').replaceAll('\n', ' '))
  const orphan = client.prepare<[], string>('select "table" from pragma_foreign_key_check').pluck()
  const table = orphan.get()
  if (table !== undefined)
    throw new DamagedDatabaseError(path, `rows of "${table}" refer to missing rows`)
}

function summaryOf(client: Database.Database): DatabaseSummary {
  const names = client
    .prepare<[], string>(
      `select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like '\\_\\_%' escape '\\'`,
    )
    .pluck()
    .all()
  const count = (name: string) =>
    client.prepare<[], number>(`select count(*) from "${name}"`).pluck().get() ?? 0
  const keyIds = names.includes('api_keys')
    ? client
        .prepare<[], string>(
          `select key_id from api_keys union select substr(value, 1, 12) from settings where name = 'master_key_check'`,
        )
        .pluck()
        .all()
    : []
  const auditHead = names.includes('audit_entries')
    ? client
        .prepare<[], AuditHead>('select id, hash from audit_entries order by id desc limit 1')
        .get()
    : undefined
  return { rows: Object.fromEntries(names.map((name) => [name, count(name)])), keyIds, auditHead }
}
