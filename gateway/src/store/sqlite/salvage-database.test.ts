import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { IS_LONG } from '../../../test/support/is-long.ts'
import { garbage, overwriteBytes } from '../../../test/support/overwrite-pages.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openStore } from './open.ts'
import { salvageDatabase } from './salvage-database.ts'

/** The rows of each table by row id. The derived tables are made again by the gateway. */
type Rows = ReadonlyMap<string, ReadonlyMap<number, string>>

const LEFT_OUT = ['log_kinds', 'log_keys', '__drizzle_migrations']
function rowsOf(path: string): Rows {
  const db = new Database(path, { readonly: true })
  const tables = db
    .prepare<[], string>(
      `select name from pragma_table_list where schema = 'main' and type = 'table' and wr = 0 and name not like 'sqlite%'`,
    )
    .pluck()
    .all()
    .filter((table) => !LEFT_OUT.includes(table))
  const found = tables.map((table) => {
    const rows = db
      .prepare<[], { row: number }>(`select rowid as row, * from "${table}"`)
      .all()
      .map((row) => [row.row, JSON.stringify(row)] as const)
    return [table, new Map(rows)] as const
  })
  db.close()
  return new Map(found)
}

/** SQLite's own list of pages, and which rows are on each: an oracle that shares no code. */
function rowsByPage(path: string): Map<number, { table: string; rowids: number[] }> {
  const db = new Database(path, { readonly: true })
  const found = new Map<number, { table: string; rowids: number[] }>()
  for (const table of rowsOf(path).keys()) {
    const rowids = db
      .prepare<[], number>(`select rowid from "${table}" order by rowid`)
      .pluck()
      .all()
    const leaves = new Map<string, number[]>()
    const pages = db
      .prepare<[string], { path: string; pageno: number; pagetype: string; ncell: number }>(
        `select path, pageno, pagetype, ncell from dbstat where name = ? order by pagetype = 'overflow', path`,
      )
      .all(table)
    for (const { path: at, pageno, pagetype, ncell } of pages) {
      if (pagetype === 'leaf') {
        leaves.set(at, rowids.splice(0, ncell))
        found.set(pageno, { table, rowids: leaves.get(at) ?? [] })
      } else if (pagetype === 'overflow') {
        // `/000/00a+000001`: of the eleventh cell of the first child.
        const [cell, leaf] = [/([0-9a-f]+)\+/.exec(at)?.[1], /^(.*\/)[0-9a-f]+\+/.exec(at)?.[1]]
        const rowid = leaves.get(leaf ?? '')?.[Number.parseInt(cell ?? '', 16)]
        found.set(pageno, { table, rowids: rowid === undefined ? [] : [rowid] })
      } else found.set(pageno, { table, rowids: [] })
    }
    expect(rowids).toEqual([])
  }
  db.close()
  return found
}

let whole: string

/** A database with trees of two and three levels, overflow pages and free pages. */
beforeAll(() => {
  whole = join(mkdtempSync(join(tmpdir(), 'sluice-whole-')), 'whole.db')
  const { db, close } = openStore(`file:${whole}`)
  const client = db.$client
  client.transaction(() => {
    client.exec(
      `insert into clients (client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms)
         values ('grid-bot', 'x', 'x', 1, 1), ('other', 'x', 'x', 1, 1);
       insert into admins (email, password_hash, created_at_ms) values ('a@b', 'x', 1);`,
    )
    const order = client.prepare(
      `insert into order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, idempotency_key,
         state, created_at_ms, client_order_id, order_id, body) values (?, ?, ?, 'mx', 'POST', '/x', ?, ?, 'answered', ?, ?, ?, ?)`,
    )
    for (let i = 0; i < 200; i += 1) {
      const body = JSON.stringify({ note: 'y'.repeat(i % 40 === 0 ? 9_000 : 300) })
      const [ref, name] = i % 2 === 0 ? [1, 'grid-bot'] : [2, 'other']
      order.run(`order-${i}`, ref, name, `f${i}`, `key-${i}`, 1.7e12 + i, `c-${i}`, `${i}`, body)
    }
    const log = client.prepare(
      `insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_ref, client_id, request_id)
       values (?, 'GET', '/api/mx/ticker', 200, 1, 0, 1, 'grid-bot', ?)`,
    )
    for (let i = 0; i < 2_000; i += 1) log.run(1.7e12 + i, `request-${i}`)
    const token = client.prepare('insert into client_tokens values (?, 1, ?, ?, null)')
    for (let i = 0; i < 200; i += 1)
      token.run(garbage(`token ${i}`, 16).toString('hex'), 1.7e12, 1.8e12)
  })()
  // Free pages with what was deleted still on them.
  client.exec('delete from request_logs where id between 500 and 1000')
  client.pragma('wal_checkpoint(TRUNCATE)')
  close()
})

afterAll(() => rmSync(dirname(whole), { recursive: true }))

interface Hurt {
  readonly from: string
  readonly to: string
}

function hurt(pages: readonly number[]): Hurt {
  const folder = tempFolder()
  const from = join(folder, 'damaged.db')
  copyFileSync(whole, from)
  overwriteBytes(from, ...pages)
  return { from, to: join(folder, 'saved.db') }
}

const save = ({ from, to }: Hurt) => salvageDatabase(from, to, undefined)

test('a database that is not damaged is copied completely, and is left as it was', () => {
  const files = hurt([])
  const before = [readFileSync(files.from), statSync(files.from).mtimeMs]
  const { tables, wal, unplacedPages } = save(files)
  expect(rowsOf(files.to)).toEqual(rowsOf(whole))
  expect(tables.filter(({ lost }) => lost !== 0)).toEqual([])
  expect([unplacedPages, wal]).toEqual([[], undefined])
  expect([readFileSync(files.from), statSync(files.from).mtimeMs]).toEqual(before)
})

test('whichever page is overwritten, exactly the rows on it are lost', () => {
  const pages = statSync(whole).size / 4_096
  expect(pages).toBeGreaterThan(140)
  const byPage = rowsByPage(whole)
  const all = rowsOf(whole)
  // Every 21st page, from the first one on, and the first page of each table. The long form
  // overwrites all pages.
  const firsts = [...all.keys()].map((table) => pagesOf(table)[0]?.pageno)
  for (let page = 1; page <= pages; page += 1) {
    if (!IS_LONG && !firsts.includes(page) && page % 21 !== 1) continue
    const files = hurt([page])
    const { tables } = save(files)
    const { table: hit, rowids = [] } = byPage.get(page) ?? {}
    for (const [table, rows] of rowsOf(files.to)) {
      // A lost client gets an entry in its place.
      if (hit === 'clients' && table === 'clients') continue
      const expected = new Map(all.get(table))
      if (table === hit) for (const rowid of rowids) expected.delete(rowid)
      expect([page, table, rows.size]).toEqual([page, table, expected.size])
      expect(rows, `page ${page}, ${table}`).toEqual(expected)
    }
    for (const { table, lost, isExact } of tables) {
      const gone = table === hit ? rowids.length : 0
      if (isExact) expect([page, table, lost]).toEqual([page, table, gone])
      else expect(lost ?? gone, `page ${page}, ${table}`).toBeGreaterThanOrEqual(gone)
    }
    for (const path of [files.from, files.to]) rmSync(path)
  }
})

test('of two pages, an inner one and a leaf below it, the rows of the leaf are lost', () => {
  const pages = pagesOf('order_journal')
  const [root, leaf] = [pages.find(({ pagetype }) => pagetype === 'internal'), pages.at(-1)]
  const files = hurt([root?.pageno ?? 0, leaf?.pageno ?? 0])
  const { tables, lostOrders } = save(files)
  const gone = rowsByPage(whole).get(leaf?.pageno ?? 0)?.rowids ?? []
  expect(gone.length).toBeGreaterThan(0)
  expect(tables.find(({ table }) => table === 'order_journal')).toMatchObject({
    kept: 200 - gone.length,
    lost: gone.length,
    isExact: true,
  })
  // What a person looks for at the exchange.
  expect(lostOrders).toHaveLength(gone.length)
  expect(lostOrders).toContainEqual({
    id: `order-${Number(gone[0]) - 1}`,
    clientOrderId: `c-${Number(gone[0]) - 1}`,
    orderId: `${Number(gone[0]) - 1}`,
  })
})

test('when the first page of the schema is lost, its other pages are not reported as rows of an unknown table', () => {
  const inner = pagesOf('order_journal').find(({ pagetype }) => pagetype === 'internal')
  const { unplacedPages } = save(hurt([1, inner?.pageno ?? 0]))
  const ofSchema = pagesOf('sqlite_schema').map(({ pageno }) => pageno)
  expect(ofSchema.length).toBeGreaterThan(1)
  expect(unplacedPages.filter((page) => ofSchema.includes(page))).toEqual([])
})

test('deleted rows stay deleted when the list of free pages and an inner page are overwritten', () => {
  const header = readFileSync(whole)
  const trunk = header.readUInt32BE(32)
  expect(trunk).toBeGreaterThan(0)
  const inner = pagesOf('request_logs').find(({ pagetype }) => pagetype === 'internal')
  const files = hurt([trunk, inner?.pageno ?? 0])
  const { mayBeOld } = save(files)
  expect(mayBeOld).toBe(false)
  expect(rowsOf(files.to).get('request_logs')).toEqual(rowsOf(whole).get('request_logs'))
})

test('a client whose row is lost gets a disabled entry, so that its orders stay known', () => {
  const files = hurt([pagesOf('clients')[0]?.pageno ?? 0])
  const { lostClients, orphans } = save(files)
  expect([lostClients, orphans]).toEqual([['grid-bot', 'other'], {}])
  const saved = rowsOf(files.to)
  expect(saved.get('order_journal')?.size).toBe(200)
  expect(saved.get('clients')?.get(1)).toMatch(/"client_id":"grid-bot".*"active":0/)
})

test('a zeroed page and a file that was cut off lose what is on them', () => {
  const leaf = pagesOf('request_logs').find(({ pagetype }) => pagetype === 'leaf')?.pageno ?? 0
  const zeroed = hurt([])
  const file = openSync(zeroed.from, 'r+')
  writeSync(file, Buffer.alloc(4_096), 0, 4_096, (leaf - 1) * 4_096)
  closeSync(file)
  const gone = rowsByPage(whole).get(leaf)?.rowids.length ?? 0
  expect(save(zeroed).tables.find(({ table }) => table === 'request_logs')?.lost).toBe(gone)
  const cut = hurt([])
  truncateSync(cut.from, (leaf - 1) * 4_096)
  save(cut)
  expect(rowsOf(cut.to).get('clients')?.size).toBe(2)
})

test('what is in the write-ahead log is read, up to a damaged frame', () => {
  const folder = tempFolder()
  const from = join(folder, 'live.db')
  copyFileSync(whole, from)
  const db = new Database(from)
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  for (let i = 0; i < 5; i += 1) db.exec(`insert into settings values ('fact-${i}', '${i}')`)
  // As after a power cut: the log is still beside the database.
  const files = { from: join(folder, 'cut.db'), to: join(folder, 'saved.db') }
  copyFileSync(from, files.from)
  copyFileSync(`${from}-wal`, `${files.from}-wal`)
  db.close()
  const { wal } = save(files)
  expect(wal).toMatchObject({ lostFrames: 0 })
  expect(rowsOf(files.to).get('settings')?.size).toBe(5)
  const log = openSync(`${files.from}-wal`, 'r+')
  // The first three commits are whole; the fourth is not.
  const { frames = 0 } = wal ?? {}
  const frame = (frames / 5) * 3
  writeSync(log, garbage('frame', 64), 0, 64, 32 + frame * (4_096 + 24) + 1_000)
  closeSync(log)
  rmSync(files.to)
  expect(save(files).wal).toMatchObject({ frames: frame, lostFrames: frames - frame })
  expect(rowsOf(files.to).get('settings')?.size).toBe(3)
})

test('a file without anything of Sluice is rejected', () => {
  const files = { from: join(tempFolder(), 'other.db'), to: join(tempFolder(), 'saved.db') }
  const db = new Database(files.from)
  db.exec('create table notes (text text)')
  db.close()
  expect(() => save(files)).toThrow('nothing in it was written by Sluice')
})

function pagesOf(table: string) {
  const db = new Database(whole, { readonly: true })
  const pages = db
    .prepare<[string], { pageno: number; pagetype: string }>(
      `select pageno, pagetype from dbstat where name = ? and pagetype <> 'overflow' order by path`,
    )
    .all(table)
  db.close()
  return pages
}
