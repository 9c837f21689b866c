import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { restore } from '../src/operations/restore.ts'
import { backUp } from '../src/store/sqlite/backup.ts'
import { examineDatabase } from '../src/store/sqlite/examine.ts'
import { openStore } from '../src/store/sqlite/open.ts'
import { testApp, testConfig } from './app.ts'
import { changeDatabase, type OnDisk, onDisk } from './support/on-disk.ts'
import { place } from './support/place.ts'
import { tempFolder } from './support/temp-folder.ts'

/** A gateway over a database file. */
async function running(disk: Pick<OnDisk, 'path' | 'folder' | 'env'> = onDisk()) {
  return { ...(await testApp({ env: disk.env })), ...disk }
}

/** One, and a backup of it. */
async function backedUp() {
  const t = await running()
  const file = join(tempFolder(), 'backup.db')
  return { ...t, file, backup: await backUp(t.path, file) }
}

/** Puts a backup into a folder of its own, or over the database that is there. */
function restoreInto(folder: string, file: string, masterKey: string, replace = false) {
  return restore({
    config: testConfig('http://127.0.0.1:9', {
      DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
      MASTER_KEY: masterKey,
    }),
    file,
    replace,
    nowMs: Date.now,
  })
}

test('a backup made under load is complete, and the gateway resumes from it with all its data', async () => {
  const first = await running()
  const bot = await first.client()
  const before = await place(first, bot, 'before')
  const file = join(tempFolder(), 'backup.db')

  const load = Array.from({ length: 3 }, (_, i) => place(first, bot, `load-${i}`))
  const backup = await backUp(first.path, file)
  expect((await Promise.all(load)).map(({ statusCode }) => statusCode)).toEqual(Array(3).fill(200))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(backup.rows).toMatchObject({ clients: 1, api_keys: 2, admins: 1 })
  await first.app.close()

  const folder = tempFolder()
  const restored = await restoreInto(folder, file, first.env.MASTER_KEY)
  expect(restored).toMatchObject({ keptAs: undefined, sealed: { total: 2, unreadable: 0 } })
  expect(restored.rows).toEqual(backup.rows)
  const env = { ...first.env, DATABASE_URL: `file:${join(folder, 'sluice.db')}` }
  const second = await testApp({ env })
  const headers = { authorization: `Bearer ${(await second.token(bot)).json().token}` }
  const again = await place(second, { headers }, 'before')
  expect(again.body).toBe(before.body)
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(second.paper.orders('mx')).toHaveLength(0)
})

test('a backup never overwrites a file, and leaves nothing behind when it fails', async () => {
  const { path } = await running()
  const folder = tempFolder()
  const file = join(folder, 'backup.db')
  await backUp(path, file)
  const first = statSync(file)
  await expect(backUp(path, file)).rejects.toThrow('it already exists')
  expect(statSync(file).mtimeMs).toBe(first.mtimeMs)
  await expect(backUp(path, join(folder, 'none', 'x.db'))).rejects.toThrow('no such folder')
  await expect(backUp(join(folder, 'none.db'), join(folder, 'y.db'))).rejects.toMatchObject({
    code: 'STORE_UNOPENABLE',
  })
  expect(readdirSync(folder)).toEqual(['backup.db'])
})

test('an existing database is kept unless the caller asks to replace it', async () => {
  const old = await running()
  await old.client('made-after-the-backup')
  await old.app.close()
  const file = join(tempFolder(), 'backup.db')
  await backUp((await running(onDisk(old.env.MASTER_KEY))).path, file)

  const before = examineDatabase(old.path)
  await expect(restoreInto(old.folder, file, old.env.MASTER_KEY)).rejects.toMatchObject({
    code: 'RESTORE_OVERWRITES',
  })
  expect(examineDatabase(old.path)).toEqual(before)
  const { keptAs } = await restoreInto(old.folder, file, old.env.MASTER_KEY, true)
  expect(examineDatabase(keptAs ?? '')).toEqual(before)
  expect(examineDatabase(old.path).rows.clients).toBe(0)
})

// SQLite would have read the old database's write-ahead log into the restored one.
test('a write-ahead log left by a crash is moved aside with its database', async () => {
  const { path, env, client, file } = await backedUp()
  await client()
  const crashed = tempFolder()
  for (const part of ['', '-wal', '-shm'])
    copyFileSync(`${path}${part}`, join(crashed, `sluice.db${part}`))
  expect(existsSync(join(crashed, 'sluice.db-wal'))).toBe(true)

  const { keptAs } = await restoreInto(crashed, file, env.MASTER_KEY, true)
  expect(examineDatabase(join(crashed, 'sluice.db')).rows.clients).toBe(0)
  expect(examineDatabase(keptAs ?? '').rows.clients).toBe(1)
})

// A person had moved the damaged database away and left the rest of the folder: SQLite read the old
// write-ahead log into the restored one, which began with its clients.
test('a write-ahead log whose database is gone is not read into the restored one', async () => {
  const { path, env, client, file } = await backedUp()
  await client()
  const left = tempFolder()
  copyFileSync(`${path}-wal`, join(left, 'sluice.db-wal'))

  expect(await restoreInto(left, file, env.MASTER_KEY)).toMatchObject({ keptAs: undefined })
  expect(examineDatabase(join(left, 'sluice.db')).rows.clients).toBe(0)
  expect(readdirSync(left).filter((name) => name.endsWith('Z-wal'))).toHaveLength(1)
})

test('a restore is rejected while the gateway runs', async () => {
  const { folder, env, file } = await backedUp()
  await expect(restoreInto(folder, file, env.MASTER_KEY, true)).rejects.toMatchObject({
    code: 'STORE_IN_USE',
  })
})

const changed = (sql: string) => (file: string) => changeDatabase(file, sql)
test.each<[what: string, code: string, spoil: (file: string) => void]>([
  [
    ...(['that is damaged', 'DAMAGED_DATABASE'] as const),
    changed(`insert into client_tokens values ('lost', 99, 0, 0, null)`),
  ],
  [
    ...(['of a newer version', 'STORE_TOO_NEW'] as const),
    changed(`insert into __drizzle_migrations (hash, created_at) values ('later', 9e15)`),
  ],
  ['that is no database', 'NOT_OUR_DATABASE', (file) => writeFileSync(file, 'x'.repeat(9000))],
  [
    ...(['that is cut short', 'DAMAGED_DATABASE'] as const),
    (file) => truncateSync(file, statSync(file).size / 2),
  ],
  // SQLite takes an empty file for an empty database, and the gateway would have begun anew.
  ['that is empty', 'BACKUP_UNUSABLE', (file) => truncateSync(file)],
  ['without a table', 'BACKUP_UNUSABLE', changed('drop table order_journal')],
  [
    ...(['with a trigger of somebody else', 'BACKUP_UNUSABLE'] as const),
    changed(`create trigger evil after insert on client_tokens
      begin update clients set permissions = '[]'; end`),
  ],
  [
    ...(['with a column of somebody else', 'BACKUP_UNUSABLE'] as const),
    changed('alter table admins add column evil'),
  ],
])('a backup %s is rejected, and nothing changes', async (_what, code, spoil) => {
  const { path, folder, env, app, file } = await backedUp()
  await app.close()
  spoil(file)
  const before = examineDatabase(path)
  const names = readdirSync(folder)
  const restoring = restoreInto(folder, file, env.MASTER_KEY, true)
  await expect(restoring).rejects.toMatchObject({ code, message: expect.stringContaining(file) })
  await expect(restoring).rejects.not.toThrow('.restoring')
  expect(examineDatabase(path)).toEqual(before)
  expect(readdirSync(folder)).toEqual([...names, 'sluice.db.key-lock'].toSorted())
})

test.each([
  ['is not there', 'no such file', () => {}],
  ['is a folder', 'not a regular file', (file: string) => mkdirSync(file)],
  ['is a pipe', 'not a regular file', (file: string) => execFileSync('mkfifo', [file])],
])('a backup that %s is reported as such at once', async (_what, reason, make) => {
  const [file, folder] = [join(tempFolder(), 'backup.db'), tempFolder()]
  make(file)
  await expect(restoreInto(folder, file, onDisk().env.MASTER_KEY)).rejects.toThrow(reason)
  expect(readdirSync(folder)).toEqual([])
})

// The second file was left out, and fifteen orders with it.
test('a copy of a database in use is rejected with its write-ahead log beside it; a backup of both is whole', async () => {
  const { path, env, client } = await running()
  await client()
  const copy = join(tempFolder(), 'copied.db')
  for (const part of ['', '-wal']) copyFileSync(`${path}${part}`, `${copy}${part}`)
  const folder = tempFolder()
  await expect(restoreInto(folder, copy, env.MASTER_KEY)).rejects.toThrow('npm run backup')
  expect(existsSync(join(folder, 'sluice.db'))).toBe(false)
  const file = join(tempFolder(), 'backup.db')
  await backUp(copy, file)
  const restored = await restoreInto(folder, file, env.MASTER_KEY)
  expect(restored).toMatchObject({ rows: { clients: 1 }, admins: ['admin@sluice.test'] })
})

test('an empty database is not a backup', async () => {
  const [empty, folder] = [join(tempFolder(), 'empty.db'), tempFolder()]
  writeFileSync(empty, '')
  await expect(backUp(empty, join(folder, 'x.db'))).rejects.toMatchObject({
    code: 'BACKUP_UNUSABLE',
  })
  expect(readdirSync(folder)).toEqual([])
})

test('a file with the name of an unfinished backup stays unchanged', async () => {
  const { path } = await running()
  const folder = tempFolder()
  writeFileSync(join(folder, 'backup.db.part'), 'mine')
  await backUp(path, join(folder, 'backup.db'))
  expect(readFileSync(join(folder, 'backup.db.part'), 'utf8')).toBe('mine')
  expect(readdirSync(folder)).toEqual(['backup.db', 'backup.db.part'])
})

test('a backup is rejected without the master key that it was sealed with', async () => {
  const { backup, file } = await backedUp()
  const { folder, path, env } = onDisk()
  await expect(restoreInto(folder, file, env.MASTER_KEY)).rejects.toMatchObject({
    code: 'WRONG_MASTER_KEY',
    message: expect.stringContaining(backup.keyIds[0] ?? ''),
  })
  expect(existsSync(path)).toBe(false)
})

test('only the owner of the process may read the database', () => {
  const folder = join(tempFolder(), 'data')
  const store = openStore(join(folder, 'sluice.db'))
  onTestFinished(() => store.close())
  const names = readdirSync(folder)
  expect(names).toContain('sluice.db-wal')
  for (const name of ['', ...names]) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0)
})
