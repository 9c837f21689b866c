import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { updateClient } from 'schema'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { deriveKey, toMasterKey } from '../src/vault/master-key.ts'
import type { TestApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import { sharedApp } from './support/shared-app.ts'

// The bot's token is valid for all tests, however long they take.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterAll(() => {
  vi.useRealTimers()
})

interface Parts {
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())

const env = { MASTER_KEY: randomBytes(32).toString('base64') }
const shared = sharedApp({ env })

let kept: Promise<Genuine> | undefined
/** One bot for all tests, which change nothing of it. */
const genuine = () => {
  kept ??= genuineOf(shared())
  return kept
}

/** The good token of a new bot, taken apart, and what can sign as the gateway does. */
async function genuineOf(t: TestApp) {
  const { key } = toMasterKey(env.MASTER_KEY, 'MASTER_KEY')
  const bot = await t.client()
  const [header, claims, signature = ''] = bot.headers.authorization
    .slice('Bearer '.length)
    .split('.')
  const parts: Parts = { header: decode(header), claims: decode(claims) }
  const sign = ({ header, claims }: Parts, hash = 'sha256', purpose = 'client token') => {
    const signed = `${encode(header)}.${encode(claims)}`
    const mac = createHmac(hash, deriveKey(key, purpose)).update(signed)
    return `${signed}.${mac.digest('base64url')}`
  }
  return { ...t, bot, parts, signature, sign }
}
type Genuine = Awaited<ReturnType<typeof genuineOf>>

const call = ({ app }: Pick<TestApp, 'app'>, token: string, url = '/api/v3/ticker/price') =>
  app.inject({ url, headers: { authorization: `Bearer ${token}` } })

test('the forger of these tests can sign: a token that it signs anew is accepted', async () => {
  const g = await genuine()
  expect(g.parts.header).toEqual({ alg: 'HS256', typ: 'at+jwt' })
  expect((await call(g, g.sign(g.parts))).statusCode).toBe(200)
})

test('a token from before the permission settings keeps what trade covered then', async () => {
  const g = await genuineOf(shared())
  const body = { permissions: ['market' as const, 'trade' as const, 'settings' as const] }
  await g.call(updateClient, { params: { id: g.bot.id }, body })
  const url = '/mx/api/v1/private/position/change_position_mode'
  const statusOf = async ({ ver, ...claims }: Record<string, unknown>) => {
    const authorization = `Bearer ${g.sign({ ...g.parts, claims })}`
    const headers = { authorization, 'content-type': 'application/json' }
    const payload = { positionMode: 1 }
    return (await g.app.inject({ method: 'POST', url, headers, payload })).statusCode
  }
  const { claims } = g.parts
  expect(claims).toMatchObject({ scope: 'market account trade', ver: 2 })
  expect(await statusOf(claims)).toBe(200)
  expect(await statusOf({ ...claims, scope: 'market' })).toBe(403)
  const own = await g.app.inject({ method: 'POST', url, headers: g.bot.headers })
  expect(own.statusCode).toBe(403)
})

const withHeader = (change: object) => (g: Genuine) =>
  g.sign({ ...g.parts, header: { ...g.parts.header, ...change } })
const withClaims = (change: object) => (g: Genuine) =>
  g.sign({ ...g.parts, claims: { ...g.parts.claims, ...change } })
const nowSeconds = () => Math.floor(Date.now() / 1000)

test.each<[what: string, forge: (g: Genuine) => string]>([
  [
    'the algorithm "none" and no signature',
    ({ parts }) => `${encode({ ...parts.header, alg: 'none' })}.${encode(parts.claims)}.`,
  ],
  ['the algorithm "none" and a good signature', withHeader({ alg: 'none' })],
  [
    'HS512 with the right key',
    ({ parts, sign }) => sign({ ...parts, header: { ...parts.header, alg: 'HS512' } }, 'sha512'),
  ],
  ['an algorithm in another case', withHeader({ alg: 'hs256' })],
  ["the administrators' key", ({ parts, sign }) => sign(parts, 'sha256', 'admin token')],
  [
    'a payload that does not fit the signature',
    ({ parts, signature }) =>
      `${encode(parts.header)}.${encode({ ...parts.claims, sub: 'bot-2' })}.${signature}`,
  ],
  [
    'a signature whose last byte differs',
    ({ parts, signature }) => {
      const bytes = Buffer.from(signature, 'base64url')
      bytes[bytes.length - 1] = Number(bytes.at(-1)) ^ 1
      return `${encode(parts.header)}.${encode(parts.claims)}.${bytes.toString('base64url')}`
    },
  ],
  ['no signature', ({ parts }) => `${encode(parts.header)}.${encode(parts.claims)}.`],
  ['two parts only', ({ parts }) => `${encode(parts.header)}.${encode(parts.claims)}`],
  ["the administrators' audience", withClaims({ aud: 'sluice/admin' })],
  ['another issuer', withClaims({ iss: 'someone' })],
  ['the type of a session', withHeader({ typ: 'admin+jwt' })],
  ['the type JWT', withHeader({ typ: 'JWT' })],
  ['no type', withHeader({ typ: undefined })],
  ['an id that was never issued', withClaims({ jti: randomUUID() })],
  ['no id', withClaims({ jti: undefined })],
  ['no expiry', withClaims({ exp: undefined })],
  ['no issuer', withClaims({ iss: undefined })],
  ['no audience', withClaims({ aud: undefined })],
  ['a start in the future', withClaims({ nbf: nowSeconds() + 3600 })],
  ['claims that are no object', ({ parts, sign }) => sign({ ...parts, claims: Object([]) })],
])('a token with %s is rejected', async (_what, forge) => {
  const g = await genuine()
  const response = await call(g, forge(g))
  expect(ownErrorOf(response.json())).toMatchObject({ statusCode: 401, code: 'TOKEN_INVALID' })
})

// Who signs such a token has a master key, or is a version of the gateway with a defect.
const ODD_VALUES = [1, true, null, {}, [], ['a'], 'x'.repeat(2_000), '\u0000']

test.each(['jti', 'sub', 'scope', 'ver', 'iat', 'exp', 'iss', 'aud', 'nbf'])(
  'a well signed token whose claim "%s" has an odd value is refused, or harmless',
  async (name) => {
    const g = await genuine()
    for (const value of ODD_VALUES) {
      const response = await call(g, withClaims({ [name]: value })(g))
      // A number is right for these, and a text for the scope.
      const isHarmless = (['ver', 'nbf', 'iat'].includes(name) && value === 1) || name === 'scope'
      if (isHarmless && response.statusCode !== 401)
        expect([200, 403]).toContain(response.statusCode)
      else
        expect(ownErrorOf(response.json()), JSON.stringify(value)).toMatchObject({
          statusCode: 401,
          code: expect.stringMatching(/^TOKEN_(INVALID|EXPIRED)$/),
        })
    }
  },
)

test('a session whose id or subject has an odd value is refused', async () => {
  const g = await genuine()
  const [, claims] = g.asAdmin.authorization.split('.')
  const header = { alg: 'HS256', typ: 'admin+jwt' }
  const statusOf = async (change: object) => {
    const parts = { header, claims: { ...decode(claims), ...change } }
    return (await call(g, g.sign(parts, 'sha256', 'admin token'), '/api/stats')).statusCode
  }
  expect(await statusOf({})).toBe(200)
  for (const value of ODD_VALUES)
    expect([await statusOf({ jti: value }), await statusOf({ sub: value })]).toEqual([401, 401])
})

test('a token is the one of the client that it names', async () => {
  const g = await genuine()
  const other = await g.client()
  const response = await call(g, withClaims({ sub: other.clientId })(g))
  expect(ownErrorOf(response.json()).code).toBe('TOKEN_INVALID')
})

test('a longer expiry than was issued does not help, even with a good signature', async () => {
  const start = Date.now()
  onTestFinished(() => void vi.setSystemTime(start))
  const g = await genuine()
  const longer = withClaims({ exp: nowSeconds() + 86_400 })(g)
  expect((await call(g, longer)).statusCode).toBe(200)
  vi.setSystemTime(start + 600_000)
  expect(ownErrorOf((await call(g, longer)).json()).code).toBe('TOKEN_EXPIRED')
})

test.each([
  { jku: 'https://evil.example/keys' },
  { jwk: { kty: 'oct', k: 'AAAA' } },
  { kid: '../../etc/passwd' },
])(
  'a header %j selects no key: the signature is checked with the configured key',
  async (extra) => {
    const g = await genuine()
    const own = createHmac('sha256', Buffer.from('AAAA', 'base64url'))
    const signed = `${encode({ ...g.parts.header, ...extra })}.${encode(g.parts.claims)}`
    const response = await call(g, `${signed}.${own.update(signed).digest('base64url')}`)
    expect(ownErrorOf(response.json()).code).toBe('TOKEN_INVALID')
  },
)

test('a token in the query opens nothing', async () => {
  const { app, bot } = await genuine()
  const token = bot.headers.authorization.slice('Bearer '.length)
  for (const name of ['token', 'access_token', 'authorization']) {
    const response = await app.inject({ url: `/api/v3/ticker/price?${name}=${token}` })
    expect(ownErrorOf(response.json()), name).toMatchObject({
      statusCode: 401,
      code: 'TOKEN_MISSING',
    })
  }
})

test('a token in the body or a cookie opens nothing', async () => {
  const { app, bot } = await genuine()
  const token = bot.headers.authorization.slice('Bearer '.length)
  const response = await app.inject({
    method: 'POST',
    url: '/api/mx/v1/cancelOrder',
    headers: { cookie: `token=${token}; access_token=${token}` },
    payload: { access_token: token },
  })
  expect(response.json().code).toBe('TOKEN_MISSING')
})
