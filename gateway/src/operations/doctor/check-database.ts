import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DamagedDatabaseError, NotOurDatabaseError } from '../../store/errors.ts'
import { storesBeside } from '../../store/sqlite/create-stores.ts'
import { damagedTables, examineDatabase } from '../../store/sqlite/examine.ts'
import { openReadOnly } from '../../store/sqlite/open.ts'
import type { StoresBeside } from '../../store/stores.ts'
import { isReadOnly } from './check-files.ts'
import { about, type Finding } from './finding.ts'

export interface DatabaseCheck {
  readonly findings: readonly Finding[]
  /**
   * The open database for further checks; undefined when they make no sense. The caller closes it.
   */
  readonly stores: StoresBeside | undefined
}

const isDamaged = (error: unknown) =>
  error instanceof DamagedDatabaseError ||
  (error instanceof NotOurDatabaseError && error.message.includes('not an SQLite file'))

/** SQLite writes a file beside a database that has a write-ahead log, even to read it. */
function unread(path: string): Finding {
  return about('database').fail(
    `${path} is on a read-only file system, where SQLite cannot open it; whether it is intact was not checked`,
    'Copy it and the files beside it (-wal, -shm) to another disk, and run the doctor there with DATABASE_URL, or make the file system writable.',
  )
}

function damaged(path: string, error: unknown): Finding {
  const { fail } = about('database')
  const tables = damagedTables(path)
  const where =
    tables === undefined
      ? 'not even its list of tables can be read'
      : tables.length === 0
        ? 'no table by itself is damaged'
        : `damaged are ${tables.join(', ')}`
  const found = error instanceof Error ? error.message.split('. Nothing was changed')[0] : ''
  return fail(
    `${found}; ${where}`,
    `Stop the bots and the gateway. Copy "${path}" and the files beside it (-wal, -shm) to another disk, and keep them: they may have orders that no backup has. Then restore the newest backup (npm run restore), or read what is left: npm run salvage -- --from "${path}" --to NEW. docs/operations/recovery.md has the steps.`,
  )
}

/** Checks the whole database. A gateway may use it at the same time. */
export function checkDatabase(path: string): DatabaseCheck {
  const { ok, warn, failed } = about('database')
  if (!existsSync(path)) {
    const found = `there is none at ${path}`
    const advice =
      'The first start creates it. If there should be one, check DATABASE_URL or restore a backup.'
    return { stores: undefined, findings: [warn(found, advice)] }
  }
  try {
    const { rows } = examineDatabase(path)
    const store = openReadOnly(path)
    const whole = ok(
      `${path} is intact: ${rows.clients ?? 0} clients, ${rows.order_journal ?? 0} orders, ${rows.request_logs ?? 0} log rows`,
    )
    if (!store.isCurrent) {
      store.close()
      const advice = 'Make a backup; the next start migrates it.'
      return {
        stores: undefined,
        findings: [whole, warn('it has the tables of an older version', advice)],
      }
    }
    return { stores: storesBeside(store.db, path, store.close), findings: [whole] }
  } catch (error) {
    if (isDamaged(error)) return { stores: undefined, findings: [damaged(path, error)] }
    if (isReadOnly(dirname(path))) return { stores: undefined, findings: [unread(path)] }
    return { stores: undefined, findings: [failed(error)] }
  }
}
