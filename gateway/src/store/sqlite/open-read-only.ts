import Database from 'better-sqlite3'
import { isUpToDate } from './migrations.ts'
import { type Db, toDb } from './open.ts'
import { toOpenError } from './open-errors.ts'

export interface ReadOnlyStore {
  readonly db: Db
  /** Whether it has the tables of this version. The stores work only with those. */
  readonly isCurrent: boolean
  close(): void
}

/** Opens a database for reading only. @throws StoreUnopenableError */
export function openReadOnly(path: string): ReadOnlyStore {
  try {
    const client = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
    return {
      db: toDb(client, 0),
      isCurrent: isUpToDate(client),
      close: () => void client.close(),
    }
  } catch (error) {
    throw toOpenError(error, path)
  }
}
