import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { backUp } from './backup.ts'
import { openStore } from './open.ts'

const MB = 1024 ** 2

/** A database of some MB, the folder of its backup, and how often a backup asked for the space. */
function world() {
  const path = join(tempFolder(), 'sluice.db')
  const { db, close } = openStore(path)
  onTestFinished(close)
  db.$client.exec(`insert into settings select 'fact-' || value, hex(randomblob(50000))
    from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 60) select value from n)`)
  const target = join(tempFolder(), 'backup.db')
  return { path, target, client: db.$client }
}

test('a copy that the disk has no room for is not begun', async () => {
  const { path, target } = world()
  let looks = 0
  const freeBytes = () => {
    looks += 1
    return 66 * MB
  }
  await expect(backUp(path, target, { freeBytes })).rejects.toMatchObject({
    code: 'BACKUP_TARGET',
    message: `The backup "${target}" cannot be written: the disk has 66 MB left; the copy needs 7 MB, and 64 MB stay free for the gateway`,
  })
  expect(looks).toBe(1)
  expect(readdirSync(dirname(target))).toEqual([])
})

test('a copy ends when others fill the disk, before the gateway has no room left', async () => {
  const { path, target } = world()
  let looks = 0
  const freeBytes = () => {
    looks += 1
    return looks < 4 ? 1_000 * MB : 63 * MB
  }
  await expect(backUp(path, target, { freeBytes })).rejects.toThrow(
    'the disk has 63 MB left; 64 MB stay free for the gateway',
  )
  expect(readdirSync(dirname(target))).toEqual([])
})

test('a backup that is stopped leaves nothing', async () => {
  const { path, target } = world()
  const stop = new AbortController()
  const onProgress = () => stop.abort(new Error('stopped'))
  await expect(backUp(path, target, { signal: stop.signal, onProgress })).rejects.toThrow('stopped')
  expect(readdirSync(dirname(target))).toEqual([])
})

// SQLite began again after each write of another process: under load a backup never ended.
test('writes of others do not make a copy begin again, and are not in it', async () => {
  const { path, target } = world()
  const other = new Database(path)
  onTestFinished(() => void other.close())
  const insert = other.prepare(`insert into settings values ('later-' || ?, 'x')`)
  const copied: number[] = []
  await backUp(path, target, {
    onProgress: ({ copiedBytes }) => {
      copied.push(copiedBytes)
      insert.run(copied.length)
    },
  })
  expect(copied.length).toBeGreaterThan(4)
  expect(copied).toEqual(copied.toSorted((a, b) => a - b))
  const copy = new Database(target, { readonly: true })
  onTestFinished(() => void copy.close())
  const later = `select count(*) from settings where name like 'later-%'`
  expect(copy.prepare(later).pluck().get()).toBe(0)
  expect(other.prepare(later).pluck().get()).toBe(copied.length)
})

test('a copy is of one file, which no write-ahead log belongs to', async () => {
  const { path, target } = world()
  await backUp(path, target)
  expect(readdirSync(dirname(target))).toEqual(['backup.db'])
  const copy = new Database(target, { readonly: true })
  onTestFinished(() => void copy.close())
  expect(copy.pragma('journal_mode', { simple: true })).toBe('delete')
})

test('a name that is taken is reported before anything is copied', async () => {
  const { path, target } = world()
  writeFileSync(target, 'mine')
  const onProgress = () => expect.unreachable()
  await expect(backUp(path, target, { onProgress })).rejects.toThrow('it already exists')
})
