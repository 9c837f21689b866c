import { afterEach, expect, test, vi } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { createPerson, signIn } from './support/person.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** The cost of a real gateway: a hash takes tens of milliseconds. */
const REAL_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const ELSEWHERE = '198.51.100.7'
const address = (n: number) => `203.0.${Math.floor(n / 250)}.${(n % 250) + 1}`
const guess = (t: TestApp, n: number, email: string = ADMIN.email) =>
  signIn(t, { email, password: `guess ${n}` }, address(n))

/** Guesses of ever new accounts from ever new addresses: nothing but the queue slows them down. */
function startFlood(t: TestApp) {
  const statuses: number[] = []
  let count = 0
  let isOn = true
  async function attack(): Promise<void> {
    while (isOn) {
      const n = count
      count += 1
      statuses.push((await guess(t, n, `admin${n}@sluice.test`)).statusCode)
    }
  }
  const attackers = Array.from({ length: 80 }, attack)
  const end = async () => {
    isOn = false
    await Promise.all(attackers)
  }
  return { statuses, end }
}

test('an administrator signs in and confirms from a known address while a flood fills the queue', async () => {
  const t = await testApp({ app: { passwordCost: REAL_COST } })
  const { statuses, end } = startFlood(t)
  const refused = () => statuses.filter((status) => status === 503).length
  await expect.poll(refused, { timeout: 60_000 }).toBeGreaterThan(100)
  const before = refused()
  for (let n = 0; n < 5; n += 1) {
    const signedIn = await signIn(t, ADMIN)
    expect(signedIn.statusCode).toBe(200)
    const headers = { authorization: `Bearer ${signedIn.json().token}` }
    const payload = { password: ADMIN.password }
    const confirmed = await t.app.inject({ method: 'POST', url: '/auth/confirm', headers, payload })
    expect(confirmed.statusCode).toBe(200)
  }
  // The queue of all others was full in that time.
  expect(refused()).toBeGreaterThan(before)
  await end()
  expect(new Set(statuses)).toEqual(new Set([401, 503]))
})

test('guesses of one account from many addresses are slowed down, and keep the owner out nowhere known', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const t = await testApp()
  for (let n = 0; n < 20; n += 1) expect((await guess(t, n)).statusCode).toBe(401)
  const slow = await guess(t, 20)
  expect(slow.json()).toMatchObject({ statusCode: 429, code: 'TOO_MANY_ATTEMPTS' })
  expect(slow.headers['retry-after']).toBe('1')
  // The name in capital letters is the same account.
  expect((await guess(t, 21, ADMIN.email.toUpperCase())).statusCode).toBe(429)

  expect((await signIn(t, ADMIN)).statusCode).toBe(200)
  expect((await signIn(t, ADMIN, ELSEWHERE)).statusCode).toBe(429)
  // Another account is not slowed down.
  const other = await createPerson(t, 'viewer')
  expect((await signIn(t, other, ELSEWHERE)).statusCode).toBe(200)

  vi.setSystemTime(Date.now() + 1_001)
  expect((await guess(t, 22)).statusCode).toBe(401)
  expect((await guess(t, 23)).headers['retry-after']).toBe('2')
  // The owner waits as long as anybody at a new address, and starts the account anew.
  vi.setSystemTime(Date.now() + 2_001)
  expect((await signIn(t, ADMIN, ELSEWHERE)).statusCode).toBe(200)
  expect((await guess(t, 24)).statusCode).toBe(401)
})

test('two hours of guesses from ever new addresses try less than 50 passwords of one account', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const t = await testApp()
  let tried = 0
  // An attempt a minute, whatever comes back.
  for (let minute = 0; minute < 120; minute += 1) {
    if ((await guess(t, minute)).statusCode === 401) tried += 1
    vi.setSystemTime(Date.now() + 60_000)
  }
  expect(tried).toBeGreaterThan(20)
  expect(tried).toBeLessThan(50)
})

test('who was signed out everywhere is not known at an address any more', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const t = await testApp()
  const person = await createPerson(t, 'viewer')
  await t.app.inject({
    ...{ method: 'DELETE', url: `/api/admin/people/${person.id}/sessions`, headers: t.asAdmin },
  })
  for (let n = 0; n < 20; n += 1) await guess(t, n, person.email)
  expect((await signIn(t, person)).statusCode).toBe(429)
})
