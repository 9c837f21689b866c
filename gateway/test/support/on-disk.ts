import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { tempFolder } from './temp-folder.ts'

/** A place for the database of a gateway, which goes with the test, and the settings for it. */
export function onDisk(
  masterKey = randomBytes(32).toString('base64'),
  onEnd?: Parameters<typeof tempFolder>[0],
) {
  const folder = tempFolder(onEnd)
  const path = join(folder, 'sluice.db')
  return {
    ...{ folder, path, env: { DATABASE_URL: `file:${path}`, MASTER_KEY: masterKey } },
    /** What another process does to it. */
    exec: (sql: string) => changeDatabase(path, sql),
    /** The first column of what a query finds. */
    column(sql: string, ...values: readonly unknown[]): unknown[] {
      const db = new Database(path, { readonly: true })
      try {
        return db.prepare(sql).pluck().all(values)
      } finally {
        db.close()
      }
    },
  }
}
export type OnDisk = ReturnType<typeof onDisk>

export function changeDatabase(path: string, sql: string): void {
  const db = new Database(path)
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  db.close()
}
