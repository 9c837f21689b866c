import { afterEach, expect, test, vi } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'

const HERE = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const HOUR_MS = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

const clientUrl = (id: number, path: string) => `/api/admin/client-credentials/${id}/${path}`
const rotate = ({ app, asAdmin }: TestApp, id: number, payload: object = {}) =>
  app.inject({ method: 'POST', url: clientUrl(id, 'rotate-secret'), headers: asAdmin, payload })
const endOld = ({ app, asAdmin }: TestApp, id: number) =>
  app.inject({ method: 'DELETE', url: clientUrl(id, 'old-secret'), headers: asAdmin })
const list = ({ app, asAdmin }: TestApp, id: number) =>
  app.inject({ url: clientUrl(id, 'secrets'), headers: asAdmin })
const previewOf = (secret: string) => `${secret.slice(0, 8)}...${secret.slice(-4)}`

const signIn = ({ app }: TestApp, clientId: string, clientSecret: string, remoteAddress = HERE) =>
  app.inject({
    ...{ method: 'POST', url: '/auth/token', remoteAddress },
    payload: { clientId, clientSecret },
  })

/** Which of a client's secrets get a token. */
async function working(t: TestApp, { clientId }: TestClient, secrets: readonly string[]) {
  const answers = await Promise.all(secrets.map((secret) => signIn(t, clientId, secret)))
  return answers.map(({ statusCode }) => statusCode === 200)
}

const isOpen = async ({ app }: TestApp, headers: { authorization: string }) =>
  (await app.inject({ url: '/api/limits', headers })).statusCode === 200

/** A gateway on a clock that is set, with a client. */
async function clocked(logLines?: string[]) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp(logLines === undefined ? {} : { logLines })
  const client = await t.client('grid-bot')
  return { t, client, later: (ms: number) => vi.setSystemTime(Date.now() + ms) }
}

test('after a rotation both secrets work, the old one for an hour unless the rotation says otherwise', async () => {
  const { t, client, later } = await clocked()
  const rotated = await rotate(t, client.id)
  expect(rotated.statusCode).toBe(201)
  expect(rotated.headers['cache-control']).toBe('no-store')
  const { clientSecret } = rotated.json()
  expect(clientSecret).toMatch(/^sls_[\w-]{43}$/)
  expect(rotated.json()).toEqual({
    clientSecret,
    secretPreview: previewOf(clientSecret),
    oldSecretExpiresAt: '2026-01-01T01:00:00.000Z',
  })
  const secrets = [clientSecret, client.clientSecret, 'sls_guess']
  later(HOUR_MS - 1)
  expect(await working(t, client, secrets)).toEqual([true, true, false])
  later(1)
  expect(await working(t, client, secrets)).toEqual([true, false, false])

  const listed = await t.app.inject({
    ...{ url: '/api/admin/client-credentials', headers: t.asAdmin },
  })
  expect(listed.json()).toMatchObject([{ secretPreview: previewOf(clientSecret) }])
})

test('a token outlives the rotation and the end of the secret that it was issued for', async () => {
  const { t, client, later } = await clocked()
  await rotate(t, client.id, { oldSecretValidSeconds: 60 })
  later(61_000)
  expect(await isOpen(t, client.headers)).toBe(true)
})

test('at most one old secret works: the next rotation ends it', async () => {
  const { t, client } = await clocked()
  const second = (await rotate(t, client.id)).json().clientSecret
  const third = (await rotate(t, client.id, { oldSecretValidSeconds: 604_800 })).json().clientSecret
  expect(await working(t, client, [client.clientSecret, second, third])).toEqual([
    false,
    true,
    true,
  ])
})

test('the old secret can be ended at once, together with all tokens of the client', async () => {
  const { t, client } = await clocked()
  const other = await t.client('other')
  const { clientSecret } = (await rotate(t, client.id)).json()
  for (let i = 0; i < 2; i += 1) {
    const ended = await endOld(t, client.id)
    expect([ended.statusCode, ended.body]).toEqual([204, ''])
    expect(await working(t, client, [clientSecret, client.clientSecret])).toEqual([true, false])
  }
  expect(await isOpen(t, client.headers)).toBe(false)
  expect(await isOpen(t, other.headers)).toBe(true)
})

test('a rotation that leaves the old secret no time ends its tokens too', async () => {
  const { t, client } = await clocked()
  const rotated = (await rotate(t, client.id, { oldSecretValidSeconds: 0 })).json()
  expect(rotated.oldSecretExpiresAt).toBeNull()
  expect(await working(t, client, [rotated.clientSecret, client.clientSecret])).toEqual([
    true,
    false,
  ])
  expect(await isOpen(t, client.headers)).toBe(false)
})

test('each secret shows when and from where a token was last requested with it', async () => {
  const { t, client, later } = await clocked()
  const { clientSecret } = (await rotate(t, client.id)).json()
  const old = previewOf(client.clientSecret)
  const current = previewOf(clientSecret)
  later(60_000)
  await signIn(t, client.clientId, client.clientSecret, HERE)
  const oldUse = {
    ...{ preview: old, lastUsedAt: '2026-01-01T00:01:00.000Z', lastUsedFrom: HERE },
    expiresAt: '2026-01-01T01:00:00.000Z',
  }
  const never = { preview: current, lastUsedAt: null, lastUsedFrom: null }
  await expect.poll(async () => (await list(t, client.id)).json().old).toEqual(oldUse)
  expect((await list(t, client.id)).json().current).toEqual(never)

  // A wrong secret is no use; the right one is, also where the client may not be used from.
  await t.app.inject({
    ...{ method: 'PATCH', url: clientUrl(client.id, 'limits') },
    ...{ headers: t.asAdmin, payload: { allowedIps: [HERE] } },
  })
  later(10_000)
  await signIn(t, client.clientId, 'sls_guess', ELSEWHERE)
  expect((await signIn(t, client.clientId, clientSecret, ELSEWHERE)).statusCode).toBe(403)
  await expect
    .poll(async () => (await list(t, client.id)).json())
    .toEqual({
      current: {
        ...{ preview: current, lastUsedAt: '2026-01-01T00:01:10.000Z' },
        lastUsedFrom: ELSEWHERE,
      },
      old: oldUse,
    })
  later(HOUR_MS)
  expect((await list(t, client.id)).json().old).toBeNull()
})

test('a secret that is used all the time is recorded once a minute', async () => {
  const { t, client, later } = await clocked()
  const used = async () => (await list(t, client.id)).json().current.lastUsedAt
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

test.each([-1, 604_801, 1.5, '60', null])(
  'a rotation with %j seconds for the old secret is rejected',
  async (oldSecretValidSeconds) => {
    const { t, client } = await clocked()
    const rejected = await rotate(t, client.id, { oldSecretValidSeconds })
    expect(rejected.statusCode).toBe(400)
    expect(rejected.json().fields).toEqual([
      { field: 'oldSecretValidSeconds', message: 'must be a whole number from 0 to 604800' },
    ])
    expect(await working(t, client, [client.clientSecret])).toEqual([true])
  },
)

test('the secrets of a client that does not exist are 404', async () => {
  const { t } = await clocked()
  for (const answer of [await rotate(t, 42), await endOld(t, 42), await list(t, 42)]) {
    expect(answer.statusCode).toBe(404)
    expect(answer.json().code).toBe('CLIENT_NOT_FOUND')
  }
})

test('a deleted client takes its old secret along', async () => {
  const { t, client } = await clocked()
  await rotate(t, client.id)
  await t.app.inject({
    ...{ method: 'DELETE', headers: t.asAdmin },
    url: clientUrl(client.id, '').slice(0, -1),
  })
  expect(await working(t, client, [client.clientSecret])).toEqual([false])
})

test('rotations are in the audit log, without a secret', async () => {
  const logLines: string[] = []
  const { t, client } = await clocked(logLines)
  const { clientSecret } = (await rotate(t, client.id)).json()
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
