import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { healthReady } from 'schema'
import { expect, test } from 'vitest'
import { examine } from '../src/operations/doctor/examine.ts'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { setDates } from './support/set-dates.ts'
import { tempFolder } from './support/temp-folder.ts'

// A proxy that TRUST_PROXY does not name: all callers behind it have its address.

// Attempts are counted by the minute. A busy machine may need longer for all of them.
setDates()

const PROXIES = ['127.0.0.1', '10.1.2.3', '::1', '::ffff:172.18.0.1']

const signIn = (
  { app }: TestApp,
  proxy: string,
  headers: Record<string, string>,
  password = 'a guess',
  email = ADMIN.email,
) =>
  app.inject({
    ...{ method: 'POST', url: '/auth/login', remoteAddress: proxy, headers },
    payload: { email, password },
  })

async function guess(t: TestApp, proxy: string, headers: Record<string, string>, times: number) {
  const statuses: number[] = []
  for (let n = 0; n < times; n += 1) statuses.push((await signIn(t, proxy, headers)).statusCode)
  return statuses
}

test.each(PROXIES)('behind the proxy %s an attacker locks nobody else out', async (proxy) => {
  const t = await testApp()
  const attacker = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }
  expect((await guess(t, proxy, attacker, 11)).at(-1)).toBe(429)
  const owner = { 'x-forwarded-for': '203.0.113.7' }
  expect((await signIn(t, proxy, owner, ADMIN.password)).statusCode).toBe(200)
})

test.each([
  ['Forwarded', { forwarded: 'for=203.0.113.9;proto=https' }, { forwarded: 'for="[2001:db8::1]"' }],
  ['X-Real-IP', { 'x-real-ip': '203.0.113.9' }, { 'x-real-ip': '203.0.113.7' }],
])('callers are distinguished by %s too', async (_name, attacker, owner) => {
  const t = await testApp()
  expect((await guess(t, '127.0.0.1', attacker, 11)).at(-1)).toBe(429)
  expect((await signIn(t, '127.0.0.1', owner, ADMIN.password)).statusCode).toBe(200)
})

test('a proxy that names no caller: guesses at one account lock nobody else out', async () => {
  const t = await testApp()
  const via = { via: '1.1 proxy' }
  expect((await guess(t, '127.0.0.1', via, 11)).at(-1)).toBe(429)
  for (let n = 0; n < 60; n += 1) {
    const other = await signIn(t, '127.0.0.1', via, 'a guess', `other${n}@sluice.test`)
    expect(other.statusCode).toBe(401)
  }
})

test('who invents addresses gets no more guesses at an account than one address at all accounts', async () => {
  const t = await testApp()
  const statuses: number[] = []
  for (let n = 0; n < 61; n += 1)
    statuses.push(...(await guess(t, '127.0.0.1', { 'x-forwarded-for': `203.0.113.${n}` }, 1)))
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(60)
  expect(statuses.at(-1)).toBe(429)
})

test.each([
  ['/auth/token', 100, { clientId: 'grid-bot', clientSecret: 'a guess' }],
  ['/auth/second-factor', 60, { signInId: 'somebody', totp: '123456' }],
])(
  '%s: who invents addresses gets no more guesses at one client or sign-in than the limit',
  async (url, most, payload) => {
    const { app } = await testApp()
    const statuses: number[] = []
    for (let n = 0; n <= most; n += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${n}` }
      const tried = { method: 'POST', url, payload, headers, remoteAddress: '127.0.0.1' } as const
      statuses.push((await app.inject(tried)).statusCode)
    }
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([401]))
    expect(statuses.at(-1)).toBe(429)
  },
)

test('the log says once that a proxy is in front, and readiness says it to this machine only', async () => {
  const logLines: string[] = []
  const t = await testApp({ logLines })
  const warnings = async (headers = {}) =>
    (await t.app.inject({ url: healthReady.path, headers })).json().warnings
  expect(await warnings()).toBeUndefined()
  const forwarded = { 'x-forwarded-for': '203.0.113.7' }
  await guess(t, '10.1.2.3', forwarded, 2)
  const warning = /proxy at 10\.1\.2\.3.*TRUST_PROXY/
  expect(logLines.filter((line) => warning.test(line))).toHaveLength(1)
  expect(await warnings()).toEqual([expect.stringMatching(warning)])
  expect(await warnings(forwarded)).toBeUndefined()
})

test.each([
  ['a trusted one', '127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }],
  ['somebody on the internet', '203.0.113.9', { 'x-forwarded-for': '203.0.113.7' }],
  ['a caller without a proxy', '10.1.2.3', {}],
])('%s is no unknown proxy', async (_who, proxy, headers) => {
  const logLines: string[] = []
  const t = await testApp({ logLines, env: { TRUST_PROXY: 'loopback' } })
  await guess(t, proxy, headers, 1)
  expect(logLines.join()).not.toContain('TRUST_PROXY')
})

test('the doctor sees the proxy on the same machine', async () => {
  const path = join(tempFolder(), 'sluice.db')
  const t = await testApp({ env: { DATABASE_URL: `file:${path}`, MASTER_KEY: '' } })
  await t.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = t.app.server.address() as AddressInfo
  const { url } = t.paper
  const env = {
    ...{ DATABASE_URL: `file:${path}`, PORT: `${port}` },
    ...{ MEXC_SPOT_URL: url, MEXC_FUTURES_URL: url, BITGET_URL: url },
  }
  const gateway = async () => {
    for await (const finding of examine(env, { nowMs: Date.now, timeoutMs: 1_000 }))
      if (finding.subject === 'gateway') return finding
    throw new Error('The doctor did not look at the gateway')
  }
  expect(await gateway()).toMatchObject({ level: 'ok' })
  await guess(t, '127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }, 1)
  expect(await gateway()).toMatchObject({
    level: 'warn',
    found: expect.stringMatching(/proxy at 127\.0\.0\.1/),
    advice: expect.stringContaining('TRUST_PROXY'),
  })
})
