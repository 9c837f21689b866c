import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import { makeOlderDatabase, migrations, readAll } from '../../../test/support/older-database.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { RELEASE, VERSION } from '../../version.ts'
import { GatewayOlderError } from '../errors.ts'
import { lockStore } from './lock.ts'
import { openBeside, openStore } from './open.ts'

let folder: string
beforeEach(() => {
  folder = tempFolder()
})

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a new database is made with its folder, both for their owner alone', () => {
  const store = openStore(`file:${folder}/data/deep/sluice.db`)
  expect(store.path).toBe(join(folder, 'data/deep/sluice.db'))
  store.db.$client.exec(`insert into settings values ('a', 'b')`)
  expect(modeOf(join(folder, 'data/deep'))).toBe(0o700)
  for (const end of ['', '-wal', '-shm']) expect(modeOf(store.path + end)).toBe(0o600)
  store.close()
})

test('a database is safe against power cuts, and SQLite itself waits for nobody', () => {
  const store = openStore(join(folder, 'sluice.db'))
  const values = Object.entries({
    ...{ journal_mode: 'wal', foreign_keys: 1, synchronous: 1 },
    ...{ busy_timeout: 0, wal_autocheckpoint: 0 },
  })
  for (const [name, value] of values)
    expect([name, store.db.$client.pragma(name, { simple: true })]).toEqual([name, value])
  expect(store.db.wal).toBeDefined()
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

test('databases in memory need no file and share nothing', () => {
  const [one, other] = [openStore(':memory:'), openStore(':memory:')]
  expect(one.path).toBe(':memory:')
  one.db.$client.exec(`insert into settings values ('a', 'b')`)
  const later = openStore(':memory:')
  for (const { db } of [other, later])
    expect(db.$client.prepare(`select * from settings where name = 'a'`).all()).toEqual([])
  for (const store of [one, other, later]) store.close()
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

test('a database of a newer version is rejected, and the error names that version', () => {
  const path = join(folder, 'sluice.db')
  const store = openStore(path)
  const { $client } = store.db
  const releases = $client.prepare('select distinct release from __drizzle_migrations').pluck()
  expect(releases.all()).toEqual([RELEASE])
  $client.exec(`insert into __drizzle_migrations (hash, created_at, release)
    values ('later', 9e15, '3.4.5')`)
  store.close()
  const written = (by: string) =>
    expect.objectContaining({
      code: 'STORE_TOO_NEW',
      message: expect.stringContaining(
        `"${path}" was written by ${by}; this is Sluice ${VERSION}.`,
      ),
    })
  expect(() => openStore(path)).toThrow(written('Sluice 3.4.5'))
  const older = new Database(path)
  older.exec('alter table __drizzle_migrations drop column release')
  older.close()
  expect(() => openStore(path)).toThrow(written('a newer version of Sluice'))
})

test('a folder in the place of the file, and a file in the place of the folder, are named as such', () => {
  mkdirSync(join(folder, 'sluice.db'))
  expect(() => openStore(join(folder, 'sluice.db'))).toThrow('it is a folder')
  writeFileSync(join(folder, 'data'), '')
  const unopenable = expect.objectContaining({ code: 'STORE_UNOPENABLE' })
  expect(() => openStore(join(folder, 'data/sluice.db'))).toThrow(unopenable)
})

const older = () => {
  const path = join(tempFolder(), 'sluice.db')
  makeOlderDatabase(path, migrations.length - 1, {})
  return path
}

test('a database is not brought up to date under an older gateway that runs on it', () => {
  const path = older()
  const before = readAll(path)
  const release = lockStore(path)
  expect(() => openBeside(path)).toThrow(GatewayOlderError)
  expect(readAll(path)).toEqual(before)
  release()
})

test('it is brought up to date when no gateway runs, and opened beside one of the same version', () => {
  const path = older()
  const first = openBeside(path)
  expect(first.pendingMigrations()).toBe(0)
  first.close()
  const release = lockStore(path)
  openBeside(path).close()
  release()
})
