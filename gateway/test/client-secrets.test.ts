import {
  changeClientLimits,
  deleteClient,
  endOldSecret,
  getOwnLimits,
  getToken,
  listClientSecrets,
  listClients,
  rotateClientSecret,
} from 'schema'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'
import { wrong } from './support/call.ts'

const HERE = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const HOUR_MS = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

const rotate = ({ call }: TestApp, id: number, body: object = {}) =>
  call(rotateClientSecret, { params: { id }, body: wrong(body) })
const endOld = ({ call }: TestApp, id: number) => call(endOldSecret, { params: { id } })
const list = ({ call }: TestApp, id: number) => call(listClientSecrets, { params: { id } })
const previewOf = (secret: string) => `${secret.slice(0, 8)}...${secret.slice(-4)}`

const signIn = ({ call }: TestApp, clientId: string, clientSecret: string, remoteAddress = HERE) =>
  call(getToken, { body: { clientId, clientSecret } }, { headers: {}, remoteAddress })

/** Which of a client's secrets get a token. */
async function working(t: TestApp, { clientId }: TestClient, secrets: readonly string[]) {
  const answers = await Promise.all(secrets.map((secret) => signIn(t, clientId, secret)))
  return answers.map(({ status }) => status === 200)
}

const isOpen = async ({ call }: TestApp, bot: TestClient) =>
  (await call(getOwnLimits, {}, bot)).status === 200

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
})

/** A gateway on a clock that is set, with a client. */
async function clocked(logLines?: string[]) {
  const t = await testApp(logLines === undefined ? {} : { logLines })
  const client = await t.client('grid-bot')
  return { t, client, later: (ms: number) => vi.setSystemTime(Date.now() + ms) }
}

test('after a rotation both secrets work, the old one for an hour unless the rotation says otherwise', async () => {
  const { t, client, later } = await clocked()
  const rotated = await rotate(t, client.id)
  expect(rotated.status).toBe(201)
  expect(rotated.headers['cache-control']).toBe('no-store')
  const { clientSecret } = rotated.body
  expect(clientSecret).toMatch(/^sls_[\w-]{43}$/)
  expect(rotated.body).toEqual({
    clientSecret,
    secretPreview: previewOf(clientSecret),
    oldSecretExpiresAt: '2026-01-01T01:00:00.000Z',
  })
  const secrets = [clientSecret, client.clientSecret, 'sls_guess']
  later(HOUR_MS - 1)
  expect(await working(t, client, secrets)).toEqual([true, true, false])
  later(1)
  expect(await working(t, client, secrets)).toEqual([true, false, false])

  expect((await t.call(listClients)).body).toMatchObject([
    { secretPreview: previewOf(clientSecret) },
  ])
})

test('a token outlives the rotation and the end of the secret that it was issued for', async () => {
  const { t, client, later } = await clocked()
  await rotate(t, client.id, { oldSecretValidSeconds: 60 })
  later(61_000)
  expect(await isOpen(t, client)).toBe(true)
})

test('at most one old secret works: the next rotation ends it', async () => {
  const { t, client } = await clocked()
  const second = (await rotate(t, client.id)).body.clientSecret
  const third = (await rotate(t, client.id, { oldSecretValidSeconds: 604_800 })).body.clientSecret
  expect(await working(t, client, [client.clientSecret, second, third])).toEqual([
    false,
    true,
    true,
  ])
})

test('the old secret can be ended at once, together with all tokens of the client', async () => {
  const { t, client } = await clocked()
  const other = await t.client('other')
  const { clientSecret } = (await rotate(t, client.id)).body
  for (let i = 0; i < 2; i += 1) {
    const ended = await endOld(t, client.id)
    expect([ended.status, ended.text]).toEqual([204, ''])
    expect(await working(t, client, [clientSecret, client.clientSecret])).toEqual([true, false])
  }
  expect(await isOpen(t, client)).toBe(false)
  expect(await isOpen(t, other)).toBe(true)
})

test('a rotation that leaves the old secret no time ends its tokens too', async () => {
  const { t, client } = await clocked()
  const rotated = (await rotate(t, client.id, { oldSecretValidSeconds: 0 })).body
  expect(rotated.oldSecretExpiresAt).toBeNull()
  expect(await working(t, client, [rotated.clientSecret, client.clientSecret])).toEqual([
    true,
    false,
  ])
  expect(await isOpen(t, client)).toBe(false)
})

test('each secret shows when and from where a token was last requested with it', async () => {
  const { t, client, later } = await clocked()
  const { clientSecret } = (await rotate(t, client.id)).body
  const old = previewOf(client.clientSecret)
  const current = previewOf(clientSecret)
  later(60_000)
  await signIn(t, client.clientId, client.clientSecret, HERE)
  const oldUse = {
    ...{ preview: old, lastUsedAt: '2026-01-01T00:01:00.000Z', lastUsedFrom: HERE },
    expiresAt: '2026-01-01T01:00:00.000Z',
  }
  const never = { preview: current, lastUsedAt: null, lastUsedFrom: null }
  await expect.poll(async () => (await list(t, client.id)).body.old).toEqual(oldUse)
  expect((await list(t, client.id)).body.current).toEqual(never)

  // A wrong secret is no use; the right one is, also where the client may not be used from.
  const { id } = client
  await t.call(changeClientLimits, { params: { id }, body: { allowedIps: [HERE] } })
  later(10_000)
  await signIn(t, client.clientId, 'sls_guess', ELSEWHERE)
  expect((await signIn(t, client.clientId, clientSecret, ELSEWHERE)).status).toBe(403)
  await expect
    .poll(async () => (await list(t, client.id)).body)
    .toEqual({
      current: {
        ...{ preview: current, lastUsedAt: '2026-01-01T00:01:10.000Z' },
        lastUsedFrom: ELSEWHERE,
      },
      old: oldUse,
    })
  later(HOUR_MS)
  expect((await list(t, client.id)).body.old).toBeNull()
})

test('a secret that is used all the time is recorded once a minute', async () => {
  const { t, client, later } = await clocked()
  const used = async () => (await list(t, client.id)).body.current.lastUsedAt
  later(60_000)
  await signIn(t, client.clientId, client.clientSecret)
  await expect.poll(used).toBe('2026-01-01T00:01:00.000Z')
  later(59_000)
  await signIn(t, client.clientId, client.clientSecret)
  expect(await used()).toBe('2026-01-01T00:01:00.000Z')
  later(1_000)
  await signIn(t, client.clientId, client.clientSecret)
  await expect.poll(used).toBe('2026-01-01T00:02:00.000Z')
})

test('a rotation that leaves the old secret no whole number of seconds up to a week is rejected', async () => {
  const { t, client } = await clocked()
  for (const oldSecretValidSeconds of [-1, 604_801, 1.5, '60', null]) {
    const { status, body } = await rotate(t, client.id, { oldSecretValidSeconds })
    expect([oldSecretValidSeconds, status, body.fields]).toEqual([
      ...[oldSecretValidSeconds, 400],
      [{ field: 'oldSecretValidSeconds', message: 'must be a whole number from 0 to 604800' }],
    ])
  }
  expect(await working(t, client, [client.clientSecret])).toEqual([true])
})

test('the secrets of a client that does not exist are 404', async () => {
  const { t } = await clocked()
  for (const answer of [await rotate(t, 42), await endOld(t, 42), await list(t, 42)]) {
    expect(answer.status).toBe(404)
    expect(answer.body.code).toBe('CLIENT_NOT_FOUND')
  }
})

test('a deleted client takes its old secret along', async () => {
  const { t, client } = await clocked()
  await rotate(t, client.id)
  await t.call(deleteClient, { params: { id: client.id } })
  expect(await working(t, client, [client.clientSecret])).toEqual([false])
})

test('rotations are in the audit log, without a secret', async () => {
  const logLines: string[] = []
  const { t, client } = await clocked(logLines)
  const { clientSecret } = (await rotate(t, client.id)).body
  await endOld(t, client.id)
  const audit = logLines.map((line) => JSON.parse(line)).filter((line) => line.audit === true)
  expect(audit.slice(-2)).toMatchObject([
    {
      ...{ msg: 'client secret rotated', admin: 'admin@sluice.test', clientId: 'grid-bot' },
      oldSecretExpiresAt: '2026-01-01T01:00:00.000Z',
    },
    { msg: 'old client secret ended', clientId: 'grid-bot' },
  ])
  expect(logLines.join('')).not.toContain(clientSecret)
  expect(logLines.join('')).not.toContain(client.clientSecret)
})
