import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { WalSync } from './group-commit.ts'

let syncs: PromiseWithResolvers<void>[]
let wal: WalSync
beforeEach(() => {
  syncs = []
  const path = join(tempFolder(), 'sluice.db')
  const client = new Database(path)
  client.pragma('journal_mode = WAL')
  client.exec('create table notes (text)')
  wal = new WalSync(path, () => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  })
  onTestFinished(() => {
    wal.close()
    client.close()
  })
})

/** How many of the promises have resolved. */
async function resolved(promises: readonly Promise<void>[]): Promise<number> {
  const ends = promises.map((promise) =>
    Promise.race([promise.then(() => 1), new Promise<number>((end) => setImmediate(end, 0))]),
  )
  return (await Promise.all(ends)).reduce((sum, end) => sum + end, 0)
}

test('calls that come while a sync runs wait for the next one, together', async () => {
  const first = wal.sync()
  const later = [wal.sync(), wal.sync()]
  expect(syncs).toHaveLength(1)
  syncs[0]?.resolve()
  await first
  expect(await resolved(later)).toBe(0)
  expect(syncs).toHaveLength(2)
  syncs[1]?.resolve()
  await Promise.all(later)
  const last = wal.sync()
  expect(syncs).toHaveLength(3)
  syncs[2]?.resolve()
  await last
})

test('a sync that fails rejects those that wait for it, and the next one is tried', async () => {
  const first = wal.sync()
  const second = wal.sync()
  syncs[0]?.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))
  await expect(first).rejects.toMatchObject({
    code: 'STORE_UNWRITABLE',
    cause: { code: 'EIO' },
  })
  expect(syncs).toHaveLength(2)
  syncs[1]?.resolve()
  await second
})
