import {
  changeClientLimits,
  deleteClient,
  endOldSecret,
  getOwnLimits,
  getToken,
  issueClientToken,
  listAudit,
  listClientSecrets,
  listClients,
  rotateClientSecret,
  toggleClient,
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

const previewOf = (secret: string) => `${secret.slice(0, 8)}...${secret.slice(-4)}`

/** What an administrator and its owner do with the secrets of a client. */
function secretsOf({ call }: TestApp, id: number, clientId: string) {
  const signIn = (clientSecret: string, remoteAddress = HERE) =>
    call(getToken, { body: { clientId, clientSecret } }, { headers: {}, remoteAddress })
  return {
    signIn,
    rotate: (body: object = {}) => call(rotateClientSecret, { params: { id }, body: wrong(body) }),
    endOld: () => call(endOldSecret, { params: { id } }),
    list: () => call(listClientSecrets, { params: { id } }),
    /** Which secrets get a token. */
    async working(...secrets: readonly string[]) {
      const answers = await Promise.all(secrets.map((secret) => signIn(secret)))
      return answers.map(({ status }) => status === 200)
    },
  }
}

const isOpen = async ({ call }: TestApp, bot: TestClient) =>
  (await call(getOwnLimits, {}, bot)).status === 200

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
})

/** A gateway on a clock that is set, with a client. */
async function clocked(logLines: string[] = []) {
  const t = await testApp({ logLines })
  const client = await t.client('grid-bot')
  const later = (ms: number) => vi.setSystemTime(Date.now() + ms)
  return { t, client, later, ...secretsOf(t, client.id, client.clientId) }
}

test('after a rotation both secrets work, the old one for an hour unless the rotation says otherwise', async () => {
  const { t, client, later, rotate, working } = await clocked()
  const rotated = await rotate()
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
  expect(await working(...secrets)).toEqual([true, true, false])
  later(1)
  expect(await working(...secrets)).toEqual([true, false, false])
  const [{ secretPreview } = {}] = (await t.call(listClients)).body
  expect(secretPreview).toBe(previewOf(clientSecret))
})

test('a token outlives the rotation and the end of the secret that it was issued for', async () => {
  const { t, client, later, rotate } = await clocked()
  await rotate({ oldSecretValidSeconds: 60 })
  later(61_000)
  expect(await isOpen(t, client)).toBe(true)
})

test('at most one old secret works: the next rotation ends it', async () => {
  const { client, rotate, working } = await clocked()
  const second = (await rotate()).body.clientSecret
  const third = (await rotate({ oldSecretValidSeconds: 604_800 })).body.clientSecret
  expect(await working(client.clientSecret, second, third)).toEqual([false, true, true])
})

test('the old secret can be ended at once, together with all tokens of the client', async () => {
  const { t, client, rotate, endOld, working } = await clocked()
  const other = await t.client('other')
  const { clientSecret } = (await rotate()).body
  for (let i = 0; i < 2; i += 1) {
    const ended = await endOld()
    expect([ended.status, ended.text]).toEqual([204, ''])
    expect(await working(clientSecret, client.clientSecret)).toEqual([true, false])
  }
  expect(await isOpen(t, client)).toBe(false)
  expect(await isOpen(t, other)).toBe(true)
})

test('a rotation that leaves the old secret no time ends its tokens too', async () => {
  const { t, client, rotate, working } = await clocked()
  const rotated = (await rotate({ oldSecretValidSeconds: 0 })).body
  expect(rotated.oldSecretExpiresAt).toBeNull()
  expect(await working(rotated.clientSecret, client.clientSecret)).toEqual([true, false])
  expect(await isOpen(t, client)).toBe(false)
})

test('each secret shows when and from where a token was last requested with it', async () => {
  const { t, client, later, rotate, signIn, list } = await clocked()
  const { clientSecret } = (await rotate()).body
  const old = previewOf(client.clientSecret)
  const current = previewOf(clientSecret)
  later(60_000)
  await signIn(client.clientSecret)
  const oldUse = {
    ...{ preview: old, lastUsedAt: '2026-01-01T00:01:00.000Z', lastUsedFrom: HERE },
    expiresAt: '2026-01-01T01:00:00.000Z',
  }
  const never = { preview: current, lastUsedAt: null, lastUsedFrom: null }
  await expect.poll(async () => (await list()).body.old).toEqual(oldUse)
  expect((await list()).body.current).toEqual(never)

  // A wrong secret is no use; the right one is, also where the client may not be used from.
  const { id } = client
  await t.call(changeClientLimits, { params: { id }, body: { allowedIps: [HERE] } })
  later(10_000)
  await signIn('sls_guess', ELSEWHERE)
  expect((await signIn(clientSecret, ELSEWHERE)).status).toBe(403)
  const use = { lastUsedAt: '2026-01-01T00:01:10.000Z', lastUsedFrom: ELSEWHERE }
  await expect
    .poll(async () => (await list()).body)
    .toEqual({ current: { preview: current, ...use }, old: oldUse })
  later(HOUR_MS)
  expect((await list()).body.old).toBeNull()
})

test('a secret that is used all the time is recorded once a minute, and from addresses in turn every 10 s', async () => {
  const { client, later, list, signIn } = await clocked()
  const used = async () => (await list()).body.current.lastUsedAt
  later(60_000)
  await signIn(client.clientSecret)
  await expect.poll(used).toBe('2026-01-01T00:01:00.000Z')
  later(59_000)
  await signIn(client.clientSecret)
  expect(await used()).toBe('2026-01-01T00:01:00.000Z')
  later(1_000)
  await signIn(client.clientSecret)
  await expect.poll(used).toBe('2026-01-01T00:02:00.000Z')
  for (let turn = 0; turn < 3; turn += 1) {
    later(3_000)
    await signIn(client.clientSecret, turn % 2 === 0 ? ELSEWHERE : HERE)
  }
  expect(await used()).toBe('2026-01-01T00:02:00.000Z')
  later(1_000)
  await signIn(client.clientSecret, ELSEWHERE)
  await expect.poll(used).toBe('2026-01-01T00:02:10.000Z')
})

test('a rotation that leaves the old secret no whole number of seconds up to a week is rejected', async () => {
  const { client, rotate, working } = await clocked()
  for (const oldSecretValidSeconds of [-1, 604_801, 1.5, '60', null]) {
    const { status, body } = await rotate({ oldSecretValidSeconds })
    expect([oldSecretValidSeconds, status, body.fields]).toEqual([
      ...[oldSecretValidSeconds, 400],
      [{ field: 'oldSecretValidSeconds', message: 'must be a whole number from 0 to 604800' }],
    ])
  }
  expect(await working(client.clientSecret)).toEqual([true])
})

test('the secrets of a client that does not exist are 404', async () => {
  const { rotate, endOld, list } = secretsOf((await clocked()).t, 42, 'nobody')
  for (const refused of [await rotate(), await endOld(), await list()])
    expect(refused).toMatchObject({ status: 404, body: { code: 'CLIENT_NOT_FOUND' } })
})

test('a deleted client takes its old secret along', async () => {
  const { t, client, rotate, working } = await clocked()
  await rotate()
  await t.call(deleteClient, { params: { id: client.id } })
  expect(await working(client.clientSecret)).toEqual([false])
})

test('rotations are in the audit log, without a secret', async () => {
  const logLines: string[] = []
  const { client, rotate, endOld } = await clocked(logLines)
  const { clientSecret } = (await rotate()).body
  await endOld()
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

test('an admin gets a token of a client, which is as good as its own, and ends with it', async () => {
  const logLines: string[] = []
  const { t, client } = await clocked(logLines)
  const params = { id: client.id }
  const issue = (remoteAddress = HERE) =>
    t.call(issueClientToken, { params }, { headers: t.asAdmin, remoteAddress })
  const issued = await issue()
  expect(issued).toMatchObject({ status: 200, body: { expiresInSeconds: 600 } })
  expect(issued.headers['cache-control']).toBe('no-store')
  const headers = { authorization: `Bearer ${issued.body.token}` }
  const calls = async () => (await t.call(getOwnLimits, {}, { headers })).status
  expect(await calls()).toBe(200)
  expect(logLines.join('\n')).toContain('client token issued to an administrator')
  expect(logLines.join('\n')).not.toContain(issued.body.token)

  await t.call(changeClientLimits, { params, body: { allowedIps: [HERE] } })
  expect(await issue(ELSEWHERE)).toMatchObject({ status: 403, body: { code: 'ADDRESS_FORBIDDEN' } })
  await t.call(changeClientLimits, {
    ...{ params, body: { allowedIps: null, expiresAt: '2026-01-01T00:05:00.000Z' } },
  })
  vi.setSystemTime(Date.UTC(2026, 0, 1, 0, 6))
  expect(await issue()).toMatchObject({ status: 403, body: { code: 'CLIENT_EXPIRED' } })
  await t.call(toggleClient, { params, body: { isActive: false } })
  expect(await calls()).toBe(401)
  expect(await issue()).toMatchObject({ status: 403, body: { code: 'CLIENT_INACTIVE' } })
  const { body } = await t.call(listAudit, { query: { action: 'token.issued' } })
  expect(body.entries).toHaveLength(1)
  expect((await t.call(issueClientToken, { params: { id: 999 } })).status).toBe(404)
})
