import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { overwritePages } from '../../../test/support/overwrite-pages.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openStore } from './open.ts'
import { checkPages } from './page-check.ts'

/** A database with rows of every kind that the check distinguishes. */
function makeDatabase(folder: string): string {
  const path = join(folder, 'sluice.db')
  const { db, close } = openStore(`file:${path}`)
  const log = db.$client.prepare(
    `insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_id, request_id)
     values (?, 'GET', '/api', 200, 1, 0, 'bot', ?)`,
  )
  db.$client.transaction(() => {
    for (let i = 0; i < 500; i += 1) log.run(i, `request-${i}`)
  })()
  db.$client.exec(`insert into admins (email, password_hash, created_at_ms) values ('a@b', 'x', 1)`)
  db.$client.pragma('wal_checkpoint(TRUNCATE)')
  close()
  return path
}

function check(path: string, wholeBytesMax?: number): string | undefined {
  const db = new Database(path)
  try {
    return checkPages(db, wholeBytesMax)?.message
  } catch (error) {
    return String(error)
  } finally {
    db.close()
  }
}

test('a database whose pages fit together is left alone, whatever its size', () => {
  const path = makeDatabase(tempFolder())
  expect(check(path)).toBeUndefined()
  expect(check(path, 0)).toBeUndefined()
})

test('in a small file a single page that was overwritten is found, whichever it is', () => {
  const folder = tempFolder()
  const whole = makeDatabase(folder)
  const db = new Database(whole)
  const pages = Number(db.pragma('page_count', { simple: true }))
  const size = Number(db.pragma('page_size', { simple: true }))
  db.close()
  expect(pages).toBeGreaterThan(30)
  for (let page = 1; page <= pages; page += 1) {
    const path = join(folder, 'damaged.db')
    copyFileSync(whole, path)
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(size, 'garbage'), 0, size, (page - 1) * size)
    closeSync(file)
    expect(check(path), `page ${page}`).toBeDefined()
  }
})

test('in a large file the tables that decide who may do what are checked, and the log is not', () => {
  const folder = tempFolder()
  const whole = makeDatabase(folder)
  for (const [table, isFound] of [
    ['admins', true],
    ['client_tokens', true],
    ['api_keys', true],
    ['settings', true],
    ['request_logs', false],
  ] as const) {
    const path = join(folder, `${table}.db`)
    copyFileSync(whole, path)
    overwritePages(path, table)
    expect(check(path, 0) !== undefined, table).toBe(isFound)
  }
})
