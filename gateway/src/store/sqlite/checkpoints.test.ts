import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { CHECKPOINT_PAGES, type LogPages } from './checkpoints.ts'
import { openStore, type Store } from './open.ts'
import { writingUnsynced } from './write.ts'

const PAGE_BYTES = 4_096
const PAGES_PER_NOTE = 4
const NOTE = Buffer.alloc(PAGES_PER_NOTE * PAGE_BYTES)

let path: string
let store: Store
let close: () => void
beforeEach(() => {
  path = join(tempFolder(), 'sluice.db')
  store = openStore(path)
  store.db.$client.exec('create table notes (content blob)')
  let isOpen = true
  close = () => {
    if (isOpen) store.close()
    isOpen = false
  }
  onTestFinished(close)
})

const look = () => store.db.$client.pragma('wal_checkpoint(NOOP)') as [LogPages]
const insert = () => store.db.$client.prepare('insert into notes values (?)').run(NOTE)

/** Commits notes one after another, without waiting for the disk. */
async function write(pages: number): Promise<void> {
  for (let left = pages; left > 0; left -= PAGES_PER_NOTE) await writingUnsynced(store.db, insert)
}

/** Writes without a pause until SQLite begins the log anew. */
async function writeUntilNew(): Promise<void> {
  while (look()[0].log > CHECKPOINT_PAGES) await write(PAGES_PER_NOTE)
}

test('the connection that writes never makes a checkpoint', () => {
  const { $client } = store.db
  expect($client.pragma('wal_autocheckpoint', { simple: true })).toBe(0)
  for (let pages = 0; pages < 2 * CHECKPOINT_PAGES; pages += PAGES_PER_NOTE) insert()
  expect(look()[0].log).toBeGreaterThan(2 * CHECKPOINT_PAGES)
  expect(look()[0].checkpointed).toBe(0)
})

test('the log is begun anew while writes come without a pause, each time', async () => {
  for (let turn = 0; turn < 2; turn += 1) {
    await write(CHECKPOINT_PAGES + 100)
    await writeUntilNew()
  }
})

test('a reader keeps the log from being begun anew, and afterwards it is', async () => {
  const reader = new Database(path)
  onTestFinished(() => void reader.close())
  reader.exec('begin')
  reader.prepare('select count(*) from notes').get()
  await write(2 * CHECKPOINT_PAGES)
  expect(look()[0].log).toBeGreaterThan(2 * CHECKPOINT_PAGES)
  reader.exec('commit')
  await writeUntilNew()
})

test('the database is whole when it closes during a checkpoint, and the log is gone', async () => {
  await write(CHECKPOINT_PAGES + 16 * PAGES_PER_NOTE)
  const { $client } = store.db
  const notes = $client.prepare('select count(*) from notes').pluck().get()
  close()
  expect(existsSync(`${path}-wal`)).toBe(false)
  const after = new Database(path, { readonly: true })
  onTestFinished(() => void after.close())
  expect(after.prepare('select count(*) from notes').pluck().get()).toBe(notes)
  expect(after.pragma('quick_check', { simple: true })).toBe('ok')
})

test('a checkpoint that fails is reported, holds no write up, and is tried again', async () => {
  const failed = vi.fn()
  store.onCheckpointFailed(failed)
  renameSync(path, `${path}.away`)
  await write(CHECKPOINT_PAGES + 16 * PAGES_PER_NOTE)
  await eventually(() => expect(failed).toHaveBeenCalled())
  expect(failed.mock.calls[0]).toEqual([expect.objectContaining({ code: 'SQLITE_CANTOPEN' })])
  renameSync(`${path}.away`, path)
  await writeUntilNew()
})
