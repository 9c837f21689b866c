import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ConfigError, isPaper, readConfig } from '../src/config.ts'
import { tempFolder } from './support/temp-folder.ts'

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('an empty configuration gives the documented defaults', () => {
  expect(readConfig({})).toEqual({
    misspelt: [],
    listen: { host: '127.0.0.1', port: 8080 },
    databaseUrl: 'file:./data/sluice.db',
    diskReserveBytes: 32 * 1024 ** 2,
    auditHeadEveryMs: 0,
    backupMaxAgeMs: 0,
    masterKey: {},
    consoleOrigins: ['http://localhost:8081'],
    sessions: { lifeMs: 8 * 3_600_000, idleMs: 3_600_000 },
    requireSecondFactor: false,
    requireSecondAdmin: false,
    passwordSignIn: true,
    sockets: {
      'mexc-spot': 'wss://wbs-api.mexc.com',
      'mexc-futures': 'wss://contract.mexc.com',
      bitget: 'wss://ws.bitget.com',
    },
    accountStreams: true,
    upstream: {
      'mexc-spot': 'https://api.mexc.com',
      'mexc-futures': 'https://api.mexc.com',
      bitget: 'https://api.bitget.com',
    },
    lane: { ratePerSecond: 2, concurrency: 1, maxQueueWaitMs: 180_000 },
    connections: { inAll: 20_000, perAddress: 2500 },
    budget: { requestsPerMinute: 6000, tokensPerMinute: 60, refusalRowsPerMinute: 600 },
    upstreamTimeoutMs: 30_000,
    logRetentionMs: 30 * 86_400_000,
    trustProxy: [],
    plainHttpFrom: ['loopback', 'linklocal', 'uniquelocal'],
    apiDocs: true,
    logLevel: 'info',
    drainMs: 0,
  })
})

test('one message lists every wrong setting with the expected value', () => {
  const env = {
    PORT: '80800',
    RATE_LIMIT_PER_SECOND: 'fast',
    UPSTREAM_CONCURRENCY: '1.5',
    LOG_LEVEL: 'loud',
    CONSOLE_ORIGIN: 'console.example.com',
    BITGET_URL: 'https://api.bitget.com/api',
    ADMIN_EMAIL: 'a@example.com',
    MASTER_KEY: 'x',
    MASTER_KEY_FILE: 'y',
  }
  const problems = problemsOf(env).join('\n')
  for (const name of Object.keys(env)) expect(problems).toContain(name)
  expect(() => readConfig(env)).toThrow(
    /PORT is "80800"; it should be a whole number from 0 to 65535/,
  )
})

test.each([
  ['PORT', '1e3', 'a whole number from 0 to 65535'],
  ['PORT', '-1', 'a whole number'],
  ['RATE_LIMIT_PER_SECOND', '0', 'a number from 0.01 to 1000'],
  ['TRUST_PROXY', 'true', 'addresses or networks such as 10.0.0.5'],
  ['TRUST_PROXY', '10.0.0.0/33', 'addresses or networks'],
  ['DATABASE_URL', 'mysql://db/sluice', 'a file such as file:./data/sluice.db'],
  ['CONSOLE_ORIGIN', 'https://console.example.com/app', 'origins such as'],
  ['CONSOLE_ORIGIN', ',', 'origins such as'],
  ['LOG_RETENTION_DAYS', '0', 'a whole number from 1 to 3650'],
])('%s="%s" is reported with the found and the expected value', (name, found, expected) => {
  expect(problemsOf({ [name]: found })).toEqual([
    expect.stringContaining(`${name} is "${found}"; it should be ${expected}`),
  ])
})

const OPENID = {
  OIDC_ISSUER: 'https://id.example.com/realms/main',
  OIDC_CLIENT_ID: 'sluice',
  OIDC_CLIENT_SECRET: 'a secret',
  OIDC_ROLES: 'admin=a,operator=b, viewer = c d,admin=e',
  GATEWAY_URL: 'https://api.example.com',
}

test('the OpenID Connect provider needs its settings together', () => {
  const { openId } = readConfig(OPENID)
  expect(openId).toEqual({
    ...{ issuer: OPENID.OIDC_ISSUER, clientId: 'sluice', clientSecret: 'a secret' },
    ...{ name: 'id.example.com', scopes: 'openid email profile', roleClaim: 'roles' },
    redirectUri: 'https://api.example.com/auth/openid/callback',
    roles: [
      { role: 'admin', value: 'a' },
      { role: 'operator', value: 'b' },
      { role: 'viewer', value: 'c d' },
      { role: 'admin', value: 'e' },
    ],
  })
  const file = join(tempFolder(), 'secret')
  writeFileSync(file, 'of a file\n')
  const fromFile = { ...OPENID, OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_FILE: file }
  expect(readConfig(fromFile).openId?.clientSecret).toBe('of a file')

  expect(problemsOf({ OIDC_ISSUER: OPENID.OIDC_ISSUER })).toEqual([
    'OIDC_CLIENT_ID is missing; OIDC_ISSUER needs it',
    'OIDC_ROLES is missing; OIDC_ISSUER needs it',
    'GATEWAY_URL is missing; OIDC_ISSUER needs it',
    'OIDC_CLIENT_SECRET and OIDC_CLIENT_SECRET_FILE are missing; OIDC_ISSUER needs one',
  ])
  for (const wrong of [
    { OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_FILE: `${file}.no` },
    { OIDC_CLIENT_SECRET_FILE: file },
    { OIDC_ISSUER: 'http://id.example.com' },
    { OIDC_ISSUER: 'https://id.example.com/?a=b' },
    ...[{ OIDC_ROLES: 'root=a' }, { OIDC_SCOPES: 'email' }],
  ])
    expect(problemsOf({ ...OPENID, ...wrong }), JSON.stringify(wrong)).toHaveLength(1)
  expect(problemsOf({ PASSWORD_SIGN_IN: 'off' })).toEqual([
    'PASSWORD_SIGN_IN is off and OIDC_ISSUER is missing: nobody could sign in',
  ])
})

test('a missing half of a pair is named', () => {
  expect(problemsOf({ ADMIN_EMAIL: 'a@example.com' })).toEqual([
    'ADMIN_PASSWORD is missing; it makes the first administrator together with ADMIN_EMAIL',
  ])
})

test('a common first password is rejected', () => {
  for (const password of ['short', 'changeme', 'Admin123!', '12345678', 'Password1'])
    expect(
      problemsOf({ ADMIN_EMAIL: 'a@example.com', ADMIN_PASSWORD: password }),
      password,
    ).toEqual([expect.stringContaining('ADMIN_PASSWORD is a text of')])
})

test.each([Buffer.alloc(32), Buffer.from('0123456789abcdef0123456789abcdef')])(
  'a master key that is not random is reported with the other problems',
  (key) => {
    const problems = problemsOf({ MASTER_KEY: key.toString('base64'), PORT: 'x' })
    expect(problems).toHaveLength(2)
    expect(problems.join()).toContain('openssl rand -base64 32')
  },
)

test.each([
  ['CONSOLE_ORIGIN', 'http://console.example.com'],
  ['MEXC_SPOT_URL', 'http://10.0.0.7:8082'],
  ['MEXC_FUTURES_URL', 'http://paper:8082'],
  ['BITGET_URL', 'http://localhost.example.com'],
  ['BITGET_WS_URL', 'ws://paper:8082'],
])('%s may be plain HTTP outside this machine only when its origin is listed', (name, origin) => {
  const wanted = name.endsWith('_WS_URL') ? 'wss' : 'https'
  expect(problemsOf({ [name]: origin })).toEqual([
    `${name} is "${origin}"; it should be ${wanted}, or be named in ALLOW_INSECURE_ORIGINS as well`,
  ])
  expect(problemsOf({ [name]: origin, ALLOW_INSECURE_ORIGINS: 'http://other' })).toHaveLength(1)
  expect(problemsOf({ [name]: origin, ALLOW_INSECURE_ORIGINS: `http://other, ${origin}` })).toEqual(
    [],
  )
})

test('plain HTTP on this machine needs no permission', () => {
  for (const origin of ['http://localhost:8081', 'http://127.0.0.2:1', 'http://[::1]:8081'])
    expect(problemsOf({ CONSOLE_ORIGIN: origin }), origin).toEqual([])
})

test.each([
  ['MASTER_KEY', 'zqx'],
  ['ADMIN_PASSWORD', 'zqx'],
  ['MEXC_SPOT_URL', 'https://user:zqx@api.mexc.com'],
  ['DATABASE_URL', 'mysql://db/sluice?user=sluice&password=zqx'],
  // Found by the fuzzer: without a scheme the query was shown.
  ['BITGET_URL', '//x.test?token=zqx'],
])('a wrong %s that has a secret is rejected, and the error does not repeat it', (name, found) => {
  const problems = problemsOf({ ADMIN_EMAIL: 'a@example.com', [name]: found }).join('\n')
  expect(problems).toContain(name)
  expect(problems).not.toContain('zqx')
})

test('several origins and trusted proxies are read from one list each', () => {
  const config = readConfig({
    CONSOLE_ORIGIN: 'https://a.example.com, https://b.example.com/',
    TRUST_PROXY: '10.0.0.1, 10.1.0.0/16',
  })
  expect(config.consoleOrigins).toEqual(['https://a.example.com', 'https://b.example.com'])
  expect(config.trustProxy).toEqual(['10.0.0.1', '10.1.0.0/16'])
})

test('WebSockets go to the paper exchange where that has the calls, so that no key of it leaves', () => {
  const MEXC_FUTURES_WS_URL = 'ws://127.0.0.1:9'
  const { sockets } = readConfig({
    ...{ MEXC_SPOT_URL: 'http://localhost:8082', MEXC_FUTURES_URL: 'http://localhost:8082' },
    ...{ BITGET_URL: 'https://api.example.com', MEXC_FUTURES_WS_URL },
  })
  expect(sockets).toEqual({
    'mexc-spot': 'ws://localhost:8082',
    'mexc-futures': MEXC_FUTURES_WS_URL,
    bitget: 'wss://ws.bitget.com',
  })
})

test('an exchange on this machine, or of that name in a compose file, is the paper exchange', () => {
  const isPaperAt = (origin: string) =>
    isPaper(readConfig({ BITGET_URL: origin, ALLOW_INSECURE_ORIGINS: origin }), 'bg')
  expect(isPaperAt('http://127.0.0.1:8082')).toBe(true)
  expect(isPaperAt('http://paper-exchange:8082')).toBe(true)
  expect(isPaperAt('http://egress:8082')).toBe(false)
  expect(isPaperAt('http://paper-exchange.example.com')).toBe(false)
  expect(isPaper(readConfig({ BITGET_URL: 'http://127.0.0.1:8082' }), 'mx')).toBe(false)
})
