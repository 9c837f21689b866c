import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from './open.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-store-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a new database is made with its folder, both for their owner alone', () => {
  const store = openStore(`file:${folder}/data/deep/sluice.db`)
  expect(store.path).toBe(join(folder, 'data/deep/sluice.db'))
  store.db.$client.exec(`insert into settings values ('a', 'b')`)
  expect(modeOf(join(folder, 'data/deep'))).toBe(0o700)
  expect(modeOf(store.path)).toBe(0o600)
  expect(modeOf(`${store.path}-wal`)).toBe(0o600)
  expect(modeOf(`${store.path}-shm`)).toBe(0o600)
  store.close()
})

test('a database is safe against power cuts, and SQLite itself waits for nobody', () => {
  const store = openStore(join(folder, 'sluice.db'))
  const pragma = (name: string) => store.db.$client.pragma(name, { simple: true })
  expect(pragma('journal_mode')).toBe('wal')
  expect(pragma('foreign_keys')).toBe(1)
  expect(pragma('synchronous')).toBe(1)
  expect(store.db.wal).toBeDefined()
  expect(pragma('busy_timeout')).toBe(0)
  expect(pragma('wal_autocheckpoint')).toBe(0)
  store.close()
})

test('what was written is there when the database is opened again', () => {
  const path = join(folder, 'sluice.db')
  const first = openStore(path)
  first.db.$client.exec(`insert into settings values ('kept', 'yes')`)
  first.close()
  const second = openStore(`file:${path}`)
  expect(second.db.$client.prepare('select value from settings').pluck().get()).toBe('yes')
  second.close()
})

test('databases in memory share nothing', () => {
  const [one, other] = [openStore(':memory:'), openStore(':memory:')]
  one.db.$client.exec(`insert into settings values ('a', 'b')`)
  const later = openStore(':memory:')
  for (const { db } of [other, later])
    expect(db.$client.prepare(`select * from settings where name = 'a'`).all()).toEqual([])
  for (const store of [one, other, later]) store.close()
})

test('a database in memory needs no file', () => {
  const store = openStore(':memory:')
  expect(store.path).toBe(':memory:')
  expect(store.db.$client.prepare('select count(*) from clients').pluck().get()).toBe(0)
  store.close()
})

test.each([
  ['postgres://admin:hunter22@db/sluice', 'DATABASE_FILE_NEEDED'],
  ['mysql://admin:hunter22@db', 'STORE_URL'],
  ['', 'STORE_URL'],
])('an address that is no file is rejected, without a password in it: "%s"', (url, code) => {
  expect(() => openStore(url)).toThrow(expect.objectContaining({ code }))
  expect(() => openStore(url)).not.toThrow('hunter22')
})

test('a file that is no database is rejected by its path and left as it was', () => {
  const path = join(folder, 'notes.txt')
  const text = 'These are my notes. '.repeat(300)
  writeFileSync(path, text)
  expect(() => openStore(path)).toThrow(
    expect.objectContaining({ code: 'NOT_OUR_DATABASE', message: expect.stringContaining(path) }),
  )
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('the database of another program is rejected and left as it was', () => {
  const path = join(folder, 'other.db')
  const other = new Database(path)
  other.exec('create table clients (name text)')
  other.close()
  expect(() => openStore(path)).toThrow('it holds the tables of another program')
  const after = new Database(path)
  expect(after.prepare('select name from sqlite_master').pluck().all()).toEqual(['clients'])
  expect(after.pragma('journal_mode', { simple: true })).toBe('delete')
  after.close()
})

test('a database of a newer version is rejected and left as it was', () => {
  const path = join(folder, 'sluice.db')
  const store = openStore(path)
  store.db.$client.exec(
    `insert into __drizzle_migrations (hash, created_at) values ('later', 9e15)`,
  )
  store.close()
  expect(() => openStore(path)).toThrow(
    expect.objectContaining({ code: 'STORE_TOO_NEW', message: expect.stringContaining(path) }),
  )
})

test('a folder in the place of the file is named as such', () => {
  mkdirSync(join(folder, 'sluice.db'))
  expect(() => openStore(join(folder, 'sluice.db'))).toThrow('it is a folder')
})

test('a file in the place of the folder is named as such', () => {
  writeFileSync(join(folder, 'data'), '')
  expect(() => openStore(join(folder, 'data/sluice.db'))).toThrow(
    expect.objectContaining({ code: 'STORE_UNOPENABLE' }),
  )
})
