import type { InjectOptions } from 'fastify'
import { getToken, oauthToken } from 'schema'
import { expect, test } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { requestOf } from './support/sample-call.ts'
import { setDates } from './support/set-dates.ts'

const OWNER = '198.51.100.7'
const ATTACKER = '203.0.113.9'

// A minute of attempts ends when the test says so: on a busy machine 61 passwords can take longer.
const wait = setDates()

type Attempt = Pick<InjectOptions, 'payload' | 'headers' | 'remoteAddress'> & { url: string }

async function times(count: number, { app }: TestApp, attempt: Attempt) {
  const statuses: number[] = []
  for (let n = 0; n < count; n += 1)
    statuses.push((await app.inject({ method: 'POST', ...attempt })).statusCode)
  return statuses
}

const guess = (remoteAddress: string, email = ADMIN.email): Attempt => ({
  url: '/auth/login',
  payload: { email, password: 'a guess' },
  remoteAddress,
})

test('password guessing is stopped after ten attempts a minute, with the time to wait', async () => {
  const t = await testApp()
  expect(await times(10, t, guess(ATTACKER))).toEqual(Array(10).fill(401))
  const stopped = await t.app.inject({ method: 'POST', ...guess(ATTACKER) })
  expect(stopped.statusCode).toBe(429)
  expect(stopped.json()).toMatchObject({ statusCode: 429, code: 'TOO_MANY_ATTEMPTS' })
  expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(stopped.headers['retry-after'])).toBeLessThanOrEqual(60)

  wait(61_000)
  expect(await times(1, t, guess(ATTACKER))).toEqual([401])
})

test('the owner signs in from another address however many guesses an attacker makes', async () => {
  const t = await testApp()
  await times(40, t, guess(ATTACKER))
  const signIn = { method: 'POST', url: '/auth/login', payload: ADMIN } as const
  const signedIn = await t.app.inject({ ...signIn, remoteAddress: OWNER })
  expect(signedIn.statusCode).toBe(200)
})

test('an address that tries many accounts is stopped too', async () => {
  const t = await testApp()
  const statuses: number[] = []
  for (let n = 0; n < 61; n += 1)
    statuses.push(...(await times(1, t, guess(ATTACKER, `admin${n}@sluice.test`))))
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401))
  expect(statuses[60]).toBe(429)
})

test('a forged X-Forwarded-For address does not count as another caller', async () => {
  const t = await testApp()
  await times(10, t, guess(ATTACKER))
  const headers = { 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.1' }
  expect(await times(1, t, { ...guess(ATTACKER), headers })).toEqual([429])
})

test('behind a trusted proxy each address that it names counts for itself', async () => {
  const t = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  const from = (address: string) => ({
    ...guess('127.0.0.1'),
    headers: { 'x-forwarded-for': address },
  })
  await times(11, t, from(ATTACKER))
  expect(await times(1, t, from(ATTACKER))).toEqual([429])
  expect(await times(1, t, from(OWNER))).toEqual([401])
})

test.each([
  [getToken, { clientId: 'ID', clientSecret: 'SECRET' }],
  [oauthToken, { grant_type: 'client_credentials', client_id: 'ID', client_secret: 'SECRET' }],
])(
  'at $path only failures are counted: the right secret passes while others guess from the same address',
  async (endpoint, fields) => {
    const t = await testApp()
    const { clientId, clientSecret } = await t.client()
    const attempt = (secret: string): Attempt => {
      const text = JSON.stringify(fields).replace('ID', clientId).replace('SECRET', secret)
      const request = requestOf(endpoint, { body: JSON.parse(text) })
      return { ...request, headers: { ...request.headers }, remoteAddress: OWNER }
    }
    expect(await times(10, t, attempt('sls_wrong'))).toEqual(Array(10).fill(401))
    const stopped = await t.app.inject({ method: 'POST', ...attempt('sls_wrong') })
    expect(stopped.statusCode).toBe(429)
    expect(stopped.headers['retry-after']).toMatch(/^\d+$/)
    expect(await times(20, t, attempt(clientSecret))).toEqual(Array(20).fill(200))
  },
)

test('all addresses of one IPv6 network count as one caller', async () => {
  const t = await testApp()
  const statuses: number[] = []
  for (let n = 1; n <= 11; n += 1)
    statuses.push(...(await times(1, t, guess(`2001:db8:1:1::${n}`))))
  expect(statuses).toEqual([...Array(10).fill(401), 429])
  expect(await times(1, t, guess('2001:db8:1:2::1'))).toEqual([401])
})
