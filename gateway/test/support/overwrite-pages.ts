import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'

/** SQLite's default. */
const PAGE_BYTES = 4_096

/**
 * Overwrites every page of a table and of its indexes, or of `sqlite_schema`, with garbage, as a
 * failing disk or another program would. What is in the write-ahead log is moved into the file
 * first, and a gateway that runs on it reads the pages again.
 * @param leaves the pages to overwrite, of the table's own leaves in their order; all pages of the
 * table and its indexes when absent
 */
export function overwritePages(
  path: string,
  table: string,
  leaves?: (pages: readonly number[]) => readonly number[],
): void {
  const db = new Database(path)
  db.pragma('wal_checkpoint(TRUNCATE)')
  const found = db
    .prepare<{ table: string }, number>(
      leaves === undefined
        ? 'select pageno from dbstat where name = @table or name in (select name from sqlite_schema where tbl_name = @table)'
        : `select pageno from dbstat where name = @table and pagetype = 'leaf' order by path`,
    )
    .pluck()
    .all({ table })
  const pages = leaves?.(found) ?? found
  overwriteBytes(path, ...pages)
  // A commit of another connection: who has the old pages in memory drops them.
  if (!pages.includes(1)) db.exec('create table overwritten (at integer); drop table overwritten')
  db.close()
}

/** Overwrites pages in the file, and nothing else. */
export function overwriteBytes(path: string, ...pages: readonly number[]): void {
  const file = openSync(path, 'r+')
  for (const page of pages)
    writeSync(file, garbage(`page ${page}`, PAGE_BYTES), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
  closeSync(file)
}

/**
 * Bytes without a pattern, the same in each run: what a reader takes them for is not left to
 * chance.
 */
export function garbage(seed: string, bytes: number): Buffer {
  return createHash('shake256', { outputLength: bytes }).update(seed).digest()
}
