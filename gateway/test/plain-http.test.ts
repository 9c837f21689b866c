import type { AddressInfo } from 'node:net'
import type { InjectOptions } from 'fastify'
import { getToken, healthLive, healthReady, login, mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { checkConfiguration } from '../src/operations/doctor/examine.ts'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import { sharedApp } from './support/shared-app.ts'

// The gateway itself speaks plain HTTP: a proxy in front ends TLS.

const ELSEWHERE = '203.0.113.9'
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
/** As in production; other tests allow plain HTTP from everywhere. */
const AS_IN_PRODUCTION = { PLAIN_HTTP_FROM: '', METRICS_TOKEN: 'a token of the operator' }
const shared = sharedApp({ env: AS_IN_PRODUCTION })
const production = (env: Record<string, string>) =>
  testApp({ env: { ...AS_IN_PRODUCTION, ...env } })

const statusFrom = async ({ app }: TestApp, remoteAddress: string, headers = {}) =>
  (await app.inject({ url: '/api/stats', remoteAddress, headers })).statusCode

test.each<[what: string, request: InjectOptions]>([
  ['a sign-in', { method: 'POST', url: login.path, payload: ADMIN }],
  [
    'a token',
    { method: 'POST', url: getToken.path, payload: { clientId: 'a', clientSecret: 'b' } },
  ],
  ['an OAuth token', { method: 'POST', url: '/oauth/token' }],
  ['a page of the console', { url: '/api/stats' }],
  ["an exchange's own path", { url: '/mx/api/v3/ticker/price' }],
  ['the metrics', { url: '/metrics' }],
])(
  '%s is refused over plain HTTP from the internet, and not redirected',
  async (_what, request) => {
    const t = shared()
    const refused = await t.app.inject({ ...request, remoteAddress: ELSEWHERE })
    expect(refused.statusCode).toBe(403)
    expect(ownErrorOf(refused.json())).toMatchObject({
      code: 'HTTPS_REQUIRED',
      message: expect.stringContaining('https'),
    })
    expect(refused.headers.location).toBeUndefined()
  },
)

test('an order over plain HTTP is not sent, and says so', async () => {
  const t = shared()
  const { headers } = await t.client()
  const order = { method: 'POST', url: mxSubmitOrder.path, headers, payload: ORDER } as const
  const refused = await t.app.inject({ ...order, remoteAddress: ELSEWHERE })
  expect(refused.json()).toMatchObject({
    ...{ code: 'HTTPS_REQUIRED', outcome: 'not-sent', retryable: false },
  })
  expect(t.paper.orders('mx')).toHaveLength(0)
})

test('who asks whether it is alive, or reads the documentation, may use plain HTTP', async () => {
  const { app } = shared()
  for (const url of [healthLive.path, healthReady.path, '/docs/json', '/docs/'])
    expect((await app.inject({ url, remoteAddress: ELSEWHERE })).statusCode).toBe(200)
})

test.each([
  ...['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3'],
  ...['172.18.0.1', '192.168.1.9', 'fd00::7'],
])('this machine and private networks may use it: %s', async (address) => {
  expect(await statusFrom(shared(), address)).toBe(401)
})

test('PLAIN_HTTP_FROM narrows it down to this machine, or widens it', async () => {
  const narrow = await production({ PLAIN_HTTP_FROM: 'off' })
  expect(await statusFrom(narrow, '10.1.2.3')).toBe(403)
  expect(await statusFrom(narrow, '127.0.0.1')).toBe(401)
  const wide = await production({ PLAIN_HTTP_FROM: '203.0.113.0/24' })
  expect(await statusFrom(wide, ELSEWHERE)).toBe(401)
  expect(await statusFrom(wide, '198.51.100.1')).toBe(403)
})

test('a trusted proxy says how the caller came', async () => {
  const t = await production({ TRUST_PROXY: 'uniquelocal' })
  const through = (proto?: string, from = ELSEWHERE) =>
    statusFrom(t, '172.18.0.2', {
      'x-forwarded-for': from,
      ...(proto === undefined ? {} : { 'x-forwarded-proto': proto }),
    })
  expect(await through('https')).toBe(401)
  expect(await through('http')).toBe(403)
  expect(await through('https, http')).toBe(403)
  expect(await through('http', '10.9.9.9')).toBe(401)
  // It does not say.
  expect(await through()).toBe(401)
})

test('nobody else is believed to have used TLS', async () => {
  const t = await production({ TRUST_PROXY: 'uniquelocal' })
  expect(await statusFrom(t, ELSEWHERE, { 'x-forwarded-proto': 'https' })).toBe(403)
})

test('over a real connection too', async () => {
  const t = await production({ TRUST_PROXY: 'loopback' })
  await t.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = t.app.server.address() as AddressInfo
  const ask = async (proto: string) => {
    const headers = { 'x-forwarded-for': ELSEWHERE, 'x-forwarded-proto': proto }
    return (await fetch(`http://127.0.0.1:${port}/api/stats`, { headers })).status
  }
  expect([await ask('http'), await ask('https')]).toEqual([403, 401])
})

test('the doctor says who may use plain HTTP', () => {
  const found = (env: Record<string, string>) =>
    checkConfiguration(env)
      .findings.filter(({ level }) => level === 'warn')
      .map((finding) => finding.found)
  expect(found({})).toEqual([])
  expect(found({ HOST: '0.0.0.0', TRUST_PROXY: 'uniquelocal' })).toEqual([])
  const open = /private networks.*PLAIN_HTTP_FROM/
  expect(found({ HOST: '0.0.0.0' })).toEqual([expect.stringMatching(open)])
  expect(found({ HOST: '0.0.0.0', PLAIN_HTTP_FROM: 'off' })).toEqual([
    expect.stringMatching(/trusts no proxy/),
  ])
  expect(found({ PLAIN_HTTP_FROM: '0.0.0.0/0' })).toEqual([expect.stringMatching(/0\.0\.0\.0\/0/)])
})

test('the log of the start says it too', async () => {
  const logLines: string[] = []
  const env = { HOST: '0.0.0.0', PLAIN_HTTP_FROM: '' }
  const { app } = await testApp({ logLines, env })
  await app.listen({ host: '127.0.0.1', port: 0 })
  expect(logLines.join()).toMatch(/plain HTTP.*PLAIN_HTTP_FROM/)
})
