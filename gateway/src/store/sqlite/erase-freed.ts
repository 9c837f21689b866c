import { setTimeout as sleep } from 'node:timers/promises'
import { writing } from './database.ts'
import type { Db } from './open.ts'

/** The tables with sealed texts: each is written anew in one transaction, so it must be short. */
export const SEALED_TABLES = ['api_keys', 'second_factors', 'approvals', 'settings'] as const

/** Rows of `settings` that fill free pages while they are overwritten. */
const FILLER = 'erasing '
/** About a megabyte of free pages at a time: the gateway writes in between. */
const PAGES_AT_ONCE = 250
const PAUSE_MS = 50

/**
 * Overwrites what was deleted from the database, in the file and in its write-ahead log: SQLite
 * leaves it in free pages, in gaps of pages and in the log. A gateway may run at the same time.
 * `VACUUM` would do the same, but hold up every write for as long as the whole file takes.
 * @param patienceMs how long to wait for others who read the log
 * @returns whether the log is empty; false while somebody needs it
 * @throws StoreUnwritableError; the next call continues
 */
export async function eraseFreed(db: Db, patienceMs: number): Promise<boolean> {
  const { $client: client } = db
  client.pragma('secure_delete = ON')
  try {
    for (const table of SEALED_TABLES) await writing(db, () => writeAnew(db, table))
    await overwriteFreePages(db)
  } finally {
    client.pragma('secure_delete = FAST')
  }
  return await emptyLog(db, patienceMs)
}

/** Puts the rows of a table into pages that have nothing else in them. */
function writeAnew({ $client: client }: Db, table: (typeof SEALED_TABLES)[number]): void {
  const rows = client.prepare<[], Record<string, unknown>>(`select * from ${table}`).all()
  const [first] = rows
  if (first === undefined) return
  client.prepare(`delete from ${table}`).run()
  const names = Object.keys(first)
  const insert = client.prepare(
    `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
  )
  for (const row of rows) insert.run(...names.map((name) => row[name]))
}

/** Fills all free pages with zeros, and frees them again. */
async function overwriteFreePages(db: Db): Promise<void> {
  const { $client: client } = db
  const number = (pragma: string) => Number(client.pragma(pragma, { simple: true }))
  const fill = client.prepare(`insert into settings values (?, zeroblob(?))`)
  const removeFillers = () =>
    writing(db, () => client.prepare(`delete from settings where name like '${FILLER}%'`).run())
  // Those of a call that was interrupted.
  await removeFillers()
  const pageSize = number('page_size')
  for (let n = 0; ; n += 1) {
    const pages = Math.min(number('freelist_count'), PAGES_AT_ONCE)
    if (pages === 0) break
    await writing(db, () => fill.run(`${FILLER}${n}`, pages * pageSize))
  }
  await removeFillers()
}

/** Copies the log into the database and empties it. */
async function emptyLog({ $client: client }: Db, patienceMs: number): Promise<boolean> {
  const endMs = performance.now() + patienceMs
  // This copies most of it without holding up anybody.
  client.pragma('wal_checkpoint(PASSIVE)')
  for (;;) {
    const [{ busy = 1 } = {}] = client.pragma('wal_checkpoint(TRUNCATE)') as { busy?: number }[]
    if (busy === 0) return true
    if (performance.now() > endMs) return false
    await sleep(PAUSE_MS)
  }
}
