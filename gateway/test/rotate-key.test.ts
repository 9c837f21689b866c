import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { deleteClient, getAuditKey, saveApiKey } from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import { finish, type RotationStep, rotate } from '../src/operations/rotate.ts'
import { SEALED_TABLES } from '../src/store/sqlite/erase-freed.ts'
import { ADMIN, type TestApp, type TestClient, testApp, testConfig } from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { eventually } from './support/eventually.ts'
import { tempFolder } from './support/temp-folder.ts'
import { totpCode } from './support/totp-app.ts'

const HOUR_MS = 3_600_000

/** A gateway that made its own key file, as one that nobody configured does. */
function running(folder: string, env: Record<string, string> = {}): Promise<TestApp> {
  return testApp({ env: { ...inFolder(folder), ...env }, app: { keyLookEveryMs: 50 } })
}

const inFolder = (folder: string) => ({
  DATABASE_URL: `file:${join(folder, 'sluice.db')}`,
  MASTER_KEY: '',
})
const configOf = (folder: string, env: Record<string, string> = {}) =>
  testConfig('http://127.0.0.1:9', { ...inFolder(folder), ...env })
const keysIn = (folder: string) =>
  readFileSync(join(folder, 'master.key'), 'utf8').trim().split('\n')

interface Rotation {
  readonly folder: string
  readonly env?: Record<string, string>
  readonly onStep?: (step: RotationStep) => void
  readonly laterMs?: number
  readonly patienceMs?: number
}

const later = (ms: number) => () => Date.now() + ms
const turn = ({ folder, env, onStep = () => {}, laterMs = 0, patienceMs = 60_000 }: Rotation) =>
  rotate({ config: configOf(folder, env), nowMs: later(laterMs), onStep, patienceMs })
const end = ({ folder, env, laterMs = 0, patienceMs = 60_000 }: Rotation, endTokens = false) =>
  finish({ config: configOf(folder, env), nowMs: later(laterMs), endTokens, patienceMs })

const readAccount = ({ app }: TestApp, { headers }: Pick<TestClient, 'headers'>) =>
  app.inject({ url: '/api/bg/v1/getAccountInfo', headers })

test('a key is rotated while bots work: no call fails, and issued tokens stay valid', async () => {
  const folder = tempFolder()
  const t = await running(folder)
  const bot = await t.client()
  await t.client()
  const oldAuditKey = (await t.call(getAuditKey)).body
  const [oldKey] = keysIn(folder)
  const statuses: number[] = []
  let isOver = false
  const load = (async () => {
    while (!isOver) {
      statuses.push((await readAccount(t, bot)).statusCode, (await t.token(bot)).statusCode)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  const steps: string[] = []
  const done = await turn({ folder, onStep: ({ name }) => steps.push(name) })
  isOver = true
  await load

  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(steps).toEqual(['added', 'taken', 'current', ...Array(4).fill('resealed')])
  expect(done).toMatchObject({ isChanged: true, good: 4, lost: 0, behind: 0 })
  expect(keysIn(folder)).toEqual([oldKey, expect.any(String)])
  expect(statSync(join(folder, 'master.key')).mode & 0o777).toBe(0o600)
  const listed = await t.app.inject({ url: '/api/admin/api-keys', headers: t.asAdmin })
  expect(listed.json()).toMatchObject(Array(4).fill({ isReadable: true }))
  await t.client('saved-after-the-change')
  // Who has the old key cannot sign an export of the audit trail as of now.
  const auditKey = (await t.call(getAuditKey)).body
  expect(auditKey.trail).toBe(oldAuditKey.trail)
  expect(auditKey.key).not.toBe(oldAuditKey.key)

  // The old key is kept while its tokens are valid, and removed once they have expired.
  await expect(end({ folder })).rejects.toMatchObject({ code: 'OLD_KEY_NEEDED' })
  const finished = await end({ folder, laterMs: 9 * HOUR_MS })
  expect(finished.removedKeyIds).toEqual(done.olderKeyIds)
  expect(keysIn(folder)).toHaveLength(1)
  expect(keysIn(folder)).not.toContain(oldKey)
  expect((await readAccount(t, bot)).json()).toMatchObject({ code: 'TOKEN_INVALID' })
  const headers = { authorization: `Bearer ${(await t.token(bot)).json().token}` }
  expect((await readAccount(t, { headers })).statusCode).toBe(200)
})

test('the secret of an authenticator app is sealed again, and its codes sign in afterwards', async () => {
  // A code is valid for 30 s.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const folder = tempFolder()
  const { app, asAdmin } = await running(folder)
  const post = (url: string, payload: object, headers: Record<string, string> = asAdmin) =>
    app.inject({ method: 'POST', url, payload, headers })
  const { id, secret } = (await post('/api/admin/account/totp', { name: 'Phone' })).json()
  const code = totpCode(secret, Date.now() - 30_000)
  expect((await post(`/api/admin/account/totp/${id}/confirm`, { code })).statusCode).toBe(200)
  expect(await turn({ folder })).toMatchObject({ good: 1, lost: 0, behind: 0 })
  await end({ folder }, true)
  const { signIn } = (await post('/auth/login', ADMIN, {})).json()
  const second = { signInId: signIn.id, totp: totpCode(secret) }
  expect((await post('/auth/second-factor', second, {})).statusCode).toBe(200)
})

test('after a leak, everything that the old key signed can be ended at once', async () => {
  const folder = tempFolder()
  const t = await running(folder)
  const bot = await t.client()
  await turn({ folder })
  await end({ folder }, true)
  expect((await readAccount(t, bot)).json()).toMatchObject({ code: 'TOKEN_INVALID' })
})

// The second call said that there is no old key, while the gateway still took what a leaked one had
// signed.
test('an old key is reported as removed only once the gateway no longer holds it, on every call', async () => {
  const folder = tempFolder()
  const first = await running(folder)
  await turn({ folder })
  await first.app.close()
  const { app } = await testApp({ env: inFolder(folder), app: { keyLookEveryMs: HOUR_MS } })
  for (const _call of ['the first', 'another'])
    await expect(end({ folder, patienceMs: 50 }, true)).rejects.toMatchObject({
      code: 'KEY_NOT_TAKEN',
    })
  expect(keysIn(folder)).toHaveLength(1)
  await app.close()
  expect(await end({ folder }, true)).toMatchObject({ removedKeyIds: [] })
})

// Each step is on the disk when it is reported, so an error thrown there leaves what a kill leaves.
test.each([
  [1, 'the key is added'],
  [2, 'the gateway has it'],
  [3, 'it is current'],
  [4, 'one of four exchange keys is sealed anew'],
  [6, 'three of four are'],
])(
  'a rotation that ends after step %i, when %s, leaves a working gateway, and resumes when it is called again',
  async (last) => {
    const folder = tempFolder()
    const first = await running(folder)
    const bots = [await first.client(), await first.client()]
    await first.app.close()
    let steps = 0
    const interrupt = () => {
      steps += 1
      if (steps === last) throw new Error('killed')
    }
    await expect(turn({ folder, onStep: interrupt })).rejects.toThrow('killed')
    await expect(end({ folder }, true)).rejects.toMatchObject({ code: 'ROTATION_UNFINISHED' })

    const second = await running(folder)
    for (const bot of bots) expect((await second.token(bot)).statusCode).toBe(200)
    const listed = await second.app.inject({ url: '/api/admin/api-keys', headers: second.asAdmin })
    expect(listed.json()).toMatchObject(Array(4).fill({ isReadable: true }))
    await second.app.close()
    expect(await turn({ folder })).toMatchObject({ good: 4, behind: 0, lost: 0 })
    expect(keysIn(folder)).toHaveLength(2)
  },
)

test('a finished rotation is reported as such, and the next one requires that the old key is removed', async () => {
  const folder = tempFolder()
  const { app } = await running(folder)
  await app.close()
  const first = await turn({ folder })
  const again = await turn({ folder })
  expect(again).toMatchObject({ isChanged: false, keyId: first.keyId })
  await end({ folder, laterMs: 9 * HOUR_MS })
  const next = await turn({ folder })
  expect(next).toMatchObject({ isChanged: true, olderKeyIds: [first.keyId] })
})

// Both wrote the key file from what they had read before: a key that sealed already was in no file
// any more.
test('while one command changes the key, another one does nothing and says why', async () => {
  const folder = tempFolder()
  const { app, client } = await running(folder)
  await client()
  await app.close()
  const codes: unknown[] = []
  const codeOf = (command: () => Promise<unknown>) =>
    command().then(
      () => 'none',
      (error: { code?: string }) => error.code,
    )
  // Each waits for a second. One of them at a step will do: the lock is the same.
  const onStep = () => {
    const isTurn = codes.length % 2 === 0
    codes.push(codeOf(() => (isTurn ? turn({ folder }) : end({ folder }, true))))
  }
  const first = turn({ folder, onStep })
  expect(await first).toMatchObject({ isChanged: true, good: 2, behind: 0, lost: 0 })
  const steps = ['added', 'taken', 'current', 'resealed', 'resealed']
  expect(await Promise.all(codes)).toEqual(steps.map(() => 'ROTATION_RUNNING'))
  expect(keysIn(folder)).toHaveLength(2)
  expect(await turn({ folder })).toMatchObject({ isChanged: false, good: 2, lost: 0 })
})

test.each([
  ['loaded', 'taken', { code: 'MASTER_KEY_FILE' }],
  ['current', 'current', { message: expect.stringContaining('lacks the key') }],
])(
  'a rotation ends with an error when its key is gone from the file again once it is %s',
  async (...row) => {
    const [, step, error] = row
    const folder = tempFolder()
    const { app, client } = await running(folder)
    await client()
    await app.close()
    const file = join(folder, 'master.key')
    const before = readFileSync(file)
    const putBack = ({ name }: RotationStep) => {
      if (name === step) writeFileSync(file, before)
    }
    await expect(turn({ folder, onStep: putBack })).rejects.toMatchObject(error)
    // A key that never became current is not missed.
    if (step === 'taken')
      expect(await turn({ folder })).toMatchObject({ isChanged: true, good: 2, lost: 0 })
  },
)

// It accepted them, dropped the key that seals, and no client got a token any more.
test('a running gateway rejects a key file that lacks its key: it raises an alert, and bots keep working', async () => {
  const folder = tempFolder()
  const receiver = await alertReceiver()
  const t = await running(folder, receiver.env)
  const bot = await t.client()
  const file = join(folder, 'master.key')
  const good = readFileSync(file)
  writeFileSync(file, newKey())
  const alerts = () => receiver.alertsOf('master-key.refused')
  await eventually(() => expect(alerts()).toEqual(['raised file']))
  expect((await t.token(bot)).statusCode).toBe(200)
  expect((await readAccount(t, bot)).statusCode).toBe(200)
  writeFileSync(file, good)
  await eventually(() => expect(alerts()).toEqual(['raised file', 'cleared file']))
})

test('a database that names another key is reported as such, without the id of any key', async () => {
  const folder = tempFolder()
  const t = await running(folder)
  const bot = await t.client()
  const db = new Database(join(folder, 'sluice.db'))
  db.exec(`update settings set value = 'abcdefabcdef:xyz' where name = 'master_key_check'`)
  db.close()
  const response = await t.token(bot)
  expect(response.statusCode).toBe(503)
  expect(response.json()).toMatchObject({
    code: 'MASTER_KEY_UNAVAILABLE',
    message: expect.not.stringMatching(/[0-9a-f]{12}/),
  })
})

test('a key in the environment is changed by hand, with instructions; the rest is the same', async () => {
  const folder = tempFolder()
  const [older, newer] = [newKey(), newKey()]
  const first = await running(folder, { MASTER_KEY: older })
  const bot = await first.client()
  const one = turn({ folder, env: { MASTER_KEY: older } })
  await expect(one).rejects.toMatchObject({
    code: 'NO_NEW_KEY',
    message: expect.stringContaining('<old key>,<new key>'),
  })
  // The gateway was not restarted with both.
  const both = { MASTER_KEY: `${older},${newer}` }
  await expect(turn({ folder, env: both, patienceMs: 50 })).rejects.toMatchObject({
    code: 'KEY_NOT_TAKEN',
  })
  expect((await readAccount(first, bot)).statusCode).toBe(200)
  await first.app.close()

  const second = await running(folder, both)
  expect(await turn({ folder, env: both })).toMatchObject({ isChanged: true, good: 2 })
  expect(await end({ folder, env: both }, true)).toMatchObject({ file: undefined })
  await second.app.close()
  const third = await running(folder, { MASTER_KEY: newer })
  expect((await third.token(bot)).statusCode).toBe(200)
})

/** How many texts that a key sealed are in the bytes of the database, and in those of its log. */
function sealedIn(folder: string, keyId: string) {
  const count = (name: string) => {
    const path = join(folder, name)
    if (!existsSync(path)) return 0
    return readFileSync(path).toString('latin1').split(`v1.${keyId}.`).length - 1
  }
  return { database: count('sluice.db'), log: count('sluice.db-wal') }
}

// SQLite leaves what was deleted in free pages, in gaps of pages and in its write-ahead log.
test.each(['runs', 'is stopped'])(
  'when the gateway %s, nothing that the old key sealed is left in any byte of the database',
  async (state) => {
    const folder = tempFolder()
    const t = await running(folder)
    const bots = []
    for (let n = 0; n < 12; n += 1) bots.push(await t.client())
    // Keys of deleted clients, and a key that is longer than a page.
    for (const { id } of bots.slice(0, 6)) await t.call(deleteClient, { params: { id } })
    const long = { exchange: 'mx', apiKey: 'k', apiSecret: 's'.repeat(512) } as const
    for (const { clientId } of bots.slice(6, 8))
      await t.call(saveApiKey, { body: { clientId, ...long } })
    const path = join(folder, 'sluice.db')
    const spill = new Database(path)
    spill.exec(
      `insert into settings select 'large', value || hex(randomblob(9000)) from settings where value like 'v1.%' limit 1`,
    )
    spill.pragma('wal_checkpoint(PASSIVE)')
    spill.exec(`delete from settings where name = 'large'`)
    spill.close()

    const done = await turn({ folder })
    const [oldKeyId = ''] = done.olderKeyIds
    const left = sealedIn(folder, oldKeyId)
    expect(left.database).toBeGreaterThan(0)
    expect(left.log).toBeGreaterThan(0)
    if (state === 'is stopped') await t.app.close()
    await end({ folder, laterMs: 9 * HOUR_MS })
    expect(sealedIn(folder, oldKeyId)).toEqual({ database: 0, log: 0 })
    expect(sealedIn(folder, done.keyId).database).toBeGreaterThan(0)

    const after = new Database(path, { readonly: true })
    expect(after.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(after.pragma('foreign_key_check')).toEqual([])
    after.close()
    if (state === 'is stopped') return
    const last = bots.at(-1)
    if (last === undefined) throw new Error('No client was made')
    const authorization = `Bearer ${(await t.token(last)).json().token}`
    expect((await readAccount(t, { headers: { authorization } })).statusCode).toBe(200)
  },
)

test('every table that has a sealed column is written anew', async () => {
  const folder = tempFolder()
  await running(folder)
  const db = new Database(join(folder, 'sluice.db'), { readonly: true })
  const tables = db
    .prepare(
      `select distinct t.name from sqlite_schema t join pragma_table_info(t.name) c
       where t.type = 'table' and c.name like '%sealed%'`,
    )
    .pluck()
    .all()
  db.close()
  expect(tables).not.toEqual([])
  expect(SEALED_TABLES).toEqual(expect.arrayContaining(tables))
})

test('a reader that needs the log keeps it; the next call erases it', async () => {
  const folder = tempFolder()
  const t = await running(folder)
  await t.client()
  const { olderKeyIds } = await turn({ folder })
  const reader = new Database(join(folder, 'sluice.db'), { readonly: true })
  reader.exec('begin; select count(*) from settings')
  const finishing = { folder, laterMs: 9 * HOUR_MS }
  // Until the gateway has unloaded the old key, the code is another one.
  await eventually(() =>
    expect(end({ ...finishing, patienceMs: 300 })).rejects.toMatchObject({
      code: 'OLD_TEXTS_REMAIN',
    }),
  )
  reader.close()
  await end(finishing)
  expect(sealedIn(folder, olderKeyIds[0] ?? '')).toEqual({ database: 0, log: 0 })
})

const newKey = () => randomBytes(32).toString('base64')
