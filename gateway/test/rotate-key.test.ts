import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { finish, type RotationStep, rotate } from '../src/rotation/rotate.ts'
import { type TestApp, type TestClient, testApp, testConfig } from './app.ts'
import { tempFolder } from './support/temp-folder.ts'

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

const turn = ({ folder, env, onStep = () => {}, laterMs = 0, patienceMs = 10_000 }: Rotation) =>
  rotate({
    config: configOf(folder, env),
    nowMs: () => Date.now() + laterMs,
    onStep,
    patienceMs,
  })

const end = ({ folder, env, laterMs = 0, patienceMs = 10_000 }: Rotation, endTokens = false) =>
  finish({
    config: configOf(folder, env),
    nowMs: () => Date.now() + laterMs,
    endTokens,
    patienceMs,
  })

const readAccount = ({ app }: TestApp, { headers }: Pick<TestClient, 'headers'>) =>
  app.inject({ url: '/api/bg/v1/getAccountInfo', headers })

test('a key is changed while bots work: no call fails, and what was issued before stays good', async () => {
  const folder = tempFolder()
  const t = await running(folder)
  const bot = await t.client()
  await t.client()
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

  // Tokens of the old key still count, so it stays; then they are over, and it goes.
  await expect(end({ folder })).rejects.toMatchObject({ code: 'OLD_KEY_NEEDED' })
  const finished = await end({ folder, laterMs: 9 * HOUR_MS })
  expect(finished.removedKeyIds).toEqual(done.olderKeyIds)
  expect(keysIn(folder)).toHaveLength(1)
  expect(keysIn(folder)).not.toContain(oldKey)
  expect((await readAccount(t, bot)).json()).toMatchObject({ code: 'TOKEN_INVALID' })
  const headers = { authorization: `Bearer ${(await t.token(bot)).json().token}` }
  expect((await readAccount(t, { headers })).statusCode).toBe(200)
})

test('whoever has an old key that leaked can end what it signed at once', async () => {
  const folder = tempFolder()
  const t = await running(folder)
  const bot = await t.client()
  await turn({ folder })
  await end({ folder }, true)
  expect((await readAccount(t, bot)).json()).toMatchObject({ code: 'TOKEN_INVALID' })
})

// Each step is on the disk when it is told, so that an error thrown there leaves what a kill leaves.
test.each([
  [1, 'the key is added'],
  [2, 'the gateway has it'],
  [3, 'it is current'],
  [4, 'one of four exchange keys is sealed anew'],
  [6, 'three of four are'],
])(
  'a rotation that ends after step %i, when %s, leaves a gateway that works, and goes on when it is called again',
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
    await expect(end({ folder }, true)).rejects.toMatchObject({
      code: 'ROTATION_UNFINISHED',
    })

    const second = await running(folder)
    for (const bot of bots) expect((await second.token(bot)).statusCode).toBe(200)
    const listed = await second.app.inject({ url: '/api/admin/api-keys', headers: second.asAdmin })
    expect(listed.json()).toMatchObject(Array(4).fill({ isReadable: true }))
    await second.app.close()
    expect(await turn({ folder })).toMatchObject({ good: 4, behind: 0, lost: 0 })
    expect(keysIn(folder)).toHaveLength(2)
  },
)

test('a finished rotation is told as such, and the next one needs the old key gone', async () => {
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

test('a key in the environment is changed by a person, who is told how; the rest is the same', async () => {
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

test('an order goes out with keys that were sealed anew', async () => {
  const folder = tempFolder()
  const t = await running(folder)
  const bot = await t.client()
  await turn({ folder })
  const placed = await t.app.inject({
    method: 'POST',
    url: mxSubmitOrder.path,
    headers: bot.headers,
    payload: { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
  })
  expect(placed.json()).toMatchObject({ success: true })
})

const newKey = () => randomBytes(32).toString('base64')
