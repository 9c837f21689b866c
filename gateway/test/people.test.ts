import type { InjectOptions } from 'fastify'
import type { Person } from 'schema'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { createPerson, sessionOf, signIn } from './support/person.ts'

const PEOPLE = '/api/admin/people'
const ACCOUNT = '/api/admin/account'
const MINUTE = 60_000

// A session is used, left and confirmed as the test says.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})
const wait = (ms: number) => vi.setSystemTime(Date.now() + ms)

type Headers = Record<string, string>
function call(
  { app }: TestApp,
  headers: Headers,
  method: InjectOptions['method'] & string,
  url: string,
  payload?: object,
) {
  return app.inject({
    ...{ method: method as 'GET', url, headers },
    ...(payload === undefined ? {} : { payload }),
  })
}
const codeFor = async (t: TestApp, headers: Headers) => {
  const response = await call(t, headers, 'GET', ACCOUNT)
  return response.statusCode === 200 ? 'ok' : response.json().code
}
const newestEntry = async (t: TestApp, headers: Headers, action: string) =>
  (await call(t, headers, 'GET', `/api/admin/audit?limit=1&action=${action}`)).json().entries[0]

test('a person is created with a generated password, signs in, and is listed', async () => {
  const t = await testApp()
  const email = 'grace@sluice.test'
  const created = await call(t, t.asAdmin, 'POST', PEOPLE, { email, role: 'operator' })
  expect(created.statusCode).toBe(201)
  expect(created.headers['cache-control']).toBe('no-store')
  const { person, password } = created.json()
  expect(password).toMatch(/^\w{5}(-\w{5}){3}$/)
  const signedIn = await signIn(t, { email, password })
  expect(signedIn.json().user).toEqual({ id: person.id, email, role: 'operator' })

  const people: Person[] = (await call(t, t.asAdmin, 'GET', PEOPLE)).json()
  expect(people).toMatchObject([
    { id: 1, email: ADMIN.email, role: 'admin', isDisabled: false, sessions: 1 },
    {
      ...{ ...person, sessions: 1, factors: [] },
      ...{ lastUsedAt: expect.stringMatching(/Z$/), lastSignInAt: expect.stringMatching(/Z$/) },
    },
  ])
  const twice = await call(t, t.asAdmin, 'POST', PEOPLE, {
    email: 'GRACE@sluice.test',
    role: 'viewer',
  })
  expect(twice.json()).toMatchObject({ statusCode: 409, code: 'ADMIN_EXISTS' })
})

test.each([
  [{ email: 'eve@sluice.test', role: 'viewer', password: 'short' }, 'PASSWORD_TOO_SHORT'],
  [{ email: 'eve@sluice.test', role: 'viewer', password: 'password1234' }, 'PASSWORD_TOO_COMMON'],
  [
    { email: 'eve@sluice.test', role: 'viewer', password: 'eve@sluice.test' },
    'PASSWORD_TOO_COMMON',
  ],
  [{ email: 'eve@sluice.test', role: 'root' }, 'VALIDATION_FAILED'],
  [{ email: 'nobody', role: 'viewer' }, 'VALIDATION_FAILED'],
  [{ email: 'eve@sluice.test' }, 'VALIDATION_FAILED'],
])('nobody is created from %j: %s', async (payload, code) => {
  const t = await testApp()
  const response = await call(t, t.asAdmin, 'POST', PEOPLE, payload)
  expect(response.json()).toMatchObject({ statusCode: 400, code })
  expect((await call(t, t.asAdmin, 'GET', PEOPLE)).json()).toHaveLength(1)
})

test('the last sign-in of a person is known when no session is left of it', async () => {
  vi.setSystemTime('2026-01-01T00:00:00.000Z')
  const t = await testApp()
  const created = {
    email: 'grace@sluice.test',
    role: 'viewer',
    password: 'a-good-passw0rd-of-hers',
  }
  const { person } = (await call(t, t.asAdmin, 'POST', PEOPLE, created)).json()
  expect(person.lastSignInAt).toBeNull()
  wait(MINUTE)
  await signIn(t, created)
  wait(MINUTE)
  await signIn(t, { ...created, password: 'a wrong one' })
  await call(t, t.asAdmin, 'DELETE', `${PEOPLE}/${person.id}/sessions`)
  const people: Person[] = (await call(t, t.asAdmin, 'GET', PEOPLE)).json()
  expect(people[1]).toMatchObject({
    ...{ sessions: 0, lastUsedAt: null, lastSignInAt: '2026-01-01T00:01:00.000Z' },
  })
})

test.each([
  ['the role', { role: 'operator' }],
  ['the right to sign in', { isDisabled: true }],
])('a change of %s ends the sessions of the person at once', async (_what, changes) => {
  const t = await testApp()
  const { id, headers, email } = await createPerson(t, 'viewer')
  expect(await codeFor(t, headers)).toBe('ok')
  const changed = await call(t, t.asAdmin, 'PATCH', `${PEOPLE}/${id}`, changes)
  expect(changed.json()).toMatchObject({
    ...{ endedSessions: 1, person: { id, email, ...changes, sessions: 0 } },
  })
  expect(await codeFor(t, headers)).toBe('TOKEN_REVOKED')
  // The same again changes nothing, and ends nothing.
  const again = await call(t, t.asAdmin, 'PATCH', `${PEOPLE}/${id}`, changes)
  expect(again.json()).toMatchObject({ endedSessions: 0 })
})

test('who is disabled cannot sign in, and can again when enabled', async () => {
  const t = await testApp()
  const person = await createPerson(t, 'viewer')
  const url = `${PEOPLE}/${person.id}`
  await call(t, t.asAdmin, 'PATCH', url, { isDisabled: true })
  expect((await signIn(t, person)).json().code).toBe('LOGIN_FAILED')
  expect((await call(t, t.asAdmin, 'PATCH', url, { isDisabled: false })).statusCode).toBe(200)
  expect((await signIn(t, person)).statusCode).toBe(200)
  const trail = await call(
    t,
    t.asAdmin,
    'GET',
    `/api/admin/audit?action=admin&subject=${person.email}`,
  )
  expect(trail.json().entries).toMatchObject([
    { action: 'admin.enabled', before: { isDisabled: true }, after: { isDisabled: false } },
    { action: 'admin.disabled', actor: ADMIN.email },
    { action: 'admin.created', after: { role: 'viewer' } },
  ])
})

test('the last admin keeps the role and stays enabled; with another one it is possible', async () => {
  const t = await testApp()
  await createPerson(t, 'operator')
  for (const changes of [{ role: 'viewer' }, { isDisabled: true }]) {
    const refused = await call(t, t.asAdmin, 'PATCH', `${PEOPLE}/1`, changes)
    expect(refused.json()).toMatchObject({ statusCode: 409, code: 'LAST_ADMIN' })
  }
  expect(await codeFor(t, t.asAdmin)).toBe('ok')
  const second = await createPerson(t, 'admin')
  expect(
    (await call(t, second.headers, 'PATCH', `${PEOPLE}/1`, { role: 'viewer' })).statusCode,
  ).toBe(200)
  expect(await codeFor(t, t.asAdmin)).toBe('TOKEN_REVOKED')
})

test('a reset password is shown once, ends all sessions, and replaces the old one', async () => {
  const t = await testApp()
  const person = await createPerson(t, 'viewer')
  const reset = await call(t, t.asAdmin, 'POST', `${PEOPLE}/${person.id}/password`)
  expect(reset.json()).toEqual({ password: expect.any(String), endedSessions: 1 })
  expect(await codeFor(t, person.headers)).toBe('TOKEN_REVOKED')
  expect((await signIn(t, person)).statusCode).toBe(401)
  expect((await signIn(t, { ...person, password: reset.json().password })).statusCode).toBe(200)
})

test('an admin sees the sessions of a person, and ends them all', async () => {
  const t = await testApp()
  const person = await createPerson(t, 'viewer')
  await sessionOf(t, person, '203.0.113.5')
  const url = `${PEOPLE}/${person.id}/sessions`
  expect((await call(t, t.asAdmin, 'GET', url)).json()).toMatchObject([
    { isCurrent: false },
    { isCurrent: false },
  ])
  expect((await call(t, t.asAdmin, 'DELETE', url)).json()).toEqual({ endedSessions: 2 })
  expect((await call(t, t.asAdmin, 'GET', url)).json()).toEqual([])
  expect(await codeFor(t, person.headers)).toBe('TOKEN_REVOKED')
})

test.each([
  ['PATCH', '', { role: 'viewer' }],
  ['POST', '/password', undefined],
  ['GET', '/sessions', undefined],
  ['DELETE', '/sessions', undefined],
] as const)('%s of a person %s who does not exist is 404', async (method, tail, payload) => {
  const t = await testApp()
  const response = await call(t, t.asAdmin, method, `${PEOPLE}/99${tail}`, payload)
  expect(response.json()).toMatchObject({ statusCode: 404, code: 'PERSON_NOT_FOUND' })
})

test('the own account has its role, its session and when it ends', async () => {
  vi.setSystemTime('2026-01-01T00:00:00.000Z')
  const t = await testApp({ env: { SESSION_IDLE_MINUTES: '60' } })
  const account = await call(t, t.asAdmin, 'GET', ACCOUNT)
  expect(account.json()).toEqual({
    ...{ id: 1, email: ADMIN.email, role: 'admin', createdAt: '2026-01-01T00:00:00.000Z' },
    ...{ hasPassword: true, provider: null },
    ...{ factors: [], recoveryCodesLeft: 0, confirmedUntil: '2026-01-01T00:05:00.000Z' },
    session: {
      id: expect.stringMatching(/^[\w-]{36}$/),
      createdAt: '2026-01-01T00:00:00.000Z',
      lastUsedAt: '2026-01-01T00:00:00.000Z',
      endsAt: '2026-01-01T01:00:00.000Z',
      expiresAt: '2026-01-01T08:00:00.000Z',
      device: 'lightMyRequest',
      ...{ address: '127.0.0.1', factor: 'password', isCurrent: true },
    },
  })
})

test('a session that is used goes on for eight hours, with the same token', async () => {
  const t = await testApp({ env: { SESSION_IDLE_MINUTES: '60' } })
  for (let minutes = 0; minutes < 8 * 60 - 50; minutes += 50) {
    wait(50 * MINUTE)
    expect(await codeFor(t, t.asAdmin)).toBe('ok')
    await vi.waitFor(async () => {
      const { session } = (await call(t, t.asAdmin, 'GET', ACCOUNT)).json()
      expect(Date.now() - Date.parse(session.lastUsedAt)).toBeLessThan(MINUTE)
    })
  }
  wait(50 * MINUTE)
  expect(await codeFor(t, t.asAdmin)).toBe('TOKEN_EXPIRED')
})

test('a session that is not used ends, and says why', async () => {
  const t = await testApp({ env: { SESSION_IDLE_MINUTES: '60' } })
  wait(59 * MINUTE)
  expect(await codeFor(t, t.asAdmin)).toBe('ok')
  const left = await sessionOf(t, ADMIN)
  wait(60 * MINUTE)
  const response = await call(t, left, 'GET', ACCOUNT)
  expect(response.json()).toMatchObject({ statusCode: 401, code: 'SESSION_IDLE' })
  expect(response.headers['www-authenticate']).toContain('error="invalid_token"')
  const again = await sessionOf(t, ADMIN)
  expect((await call(t, again, 'GET', `${ACCOUNT}/sessions`)).json()).toHaveLength(1)
})

test('SESSION_HOURS and SESSION_IDLE_MINUTES set how long sessions last', async () => {
  const t = await testApp({ env: { SESSION_HOURS: '1', SESSION_IDLE_MINUTES: '10' } })
  const signedIn = await signIn(t, ADMIN)
  expect(Date.parse(signedIn.json().expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000)
  wait(10 * MINUTE)
  expect(await codeFor(t, t.asAdmin)).toBe('SESSION_IDLE')
})

test('people end one of their own sessions, and nobody else ends it for them there', async () => {
  const t = await testApp()
  const person = await createPerson(t, 'viewer')
  const other = await sessionOf(t, person, '203.0.113.5')
  const listed = await call(t, person.headers, 'GET', `${ACCOUNT}/sessions`)
  const { id } = listed.json().find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
  const url = `${ACCOUNT}/sessions/${id}`
  expect((await call(t, t.asAdmin, 'DELETE', url)).json().code).toBe('SESSION_NOT_FOUND')
  expect(await codeFor(t, other)).toBe('ok')
  expect((await call(t, person.headers, 'DELETE', url)).statusCode).toBe(204)
  expect(await codeFor(t, other)).toBe('TOKEN_REVOKED')
  expect(await codeFor(t, person.headers)).toBe('ok')
  expect((await call(t, person.headers, 'DELETE', url)).json().code).toBe('SESSION_NOT_FOUND')
  expect(await newestEntry(t, t.asAdmin, 'session.ended')).toMatchObject({
    ...{ actor: person.email, subject: person.email },
    before: { session: id, address: '203.0.113.5' },
  })
})

test('a new password ends the other sessions, and the old one signs nobody in', async () => {
  const t = await testApp()
  const person = await createPerson(t, 'viewer')
  const other = await sessionOf(t, person, '203.0.113.5')
  const newPassword = 'a new horse battery'
  const url = `${ACCOUNT}/password`
  for (const [weak, code] of [
    ['too short', 'PASSWORD_TOO_SHORT'],
    [person.email, 'PASSWORD_TOO_COMMON'],
  ])
    expect((await call(t, person.headers, 'PUT', url, { newPassword: weak })).json()).toMatchObject(
      {
        ...{ statusCode: 400, code },
      },
    )
  const changed = await call(t, person.headers, 'PUT', url, { newPassword })
  expect(changed.json()).toEqual({ endedSessions: 1 })
  expect([await codeFor(t, person.headers), await codeFor(t, other)]).toEqual([
    'ok',
    'TOKEN_REVOKED',
  ])
  expect((await signIn(t, person)).statusCode).toBe(401)
  expect((await signIn(t, { ...person, password: newPassword })).statusCode).toBe(200)
  const entry = await newestEntry(t, t.asAdmin, 'admin.password-changed')
  expect(entry).toMatchObject({ actor: person.email, subject: person.email, before: null })
  expect(JSON.stringify(entry)).not.toContain(newPassword)
})

const confirm = (t: TestApp, headers: Headers, shown: object) =>
  call(t, headers, 'POST', '/auth/confirm', shown)

test('people and passwords need a factor that was shown in the last five minutes', async () => {
  const t = await testApp()
  const create = (email: string) => call(t, t.asAdmin, 'POST', PEOPLE, { email, role: 'viewer' })
  wait(4 * MINUTE)
  expect((await create('one@sluice.test')).statusCode).toBe(201)
  wait(MINUTE)
  const refused = await create('two@sluice.test')
  expect(refused.json()).toMatchObject({
    ...{ statusCode: 403, code: 'FRESH_FACTOR_NEEDED', factors: ['password'] },
  })
  expect((await call(t, t.asAdmin, 'GET', ACCOUNT)).json().confirmedUntil).toBeNull()
  const confirmed = await confirm(t, t.asAdmin, { password: ADMIN.password })
  expect(confirmed.json()).toEqual({
    ...{ factor: 'password', confirmedUntil: expect.stringMatching(/Z$/) },
  })
  expect((await create('two@sluice.test')).statusCode).toBe(201)
})

test('without a second factor, the flows of the specification ask for nothing more', async () => {
  const t = await testApp()
  wait(60 * MINUTE)
  const created = await call(t, t.asAdmin, 'POST', '/api/admin/client-credentials', {
    clientId: 'later',
  })
  expect(created.statusCode).toBe(201)
  const resumed = await call(t, t.asAdmin, 'POST', '/api/admin/client-credentials/1/resume')
  expect(resumed.statusCode).toBe(200)
})

test.each([
  [{ password: 'not the password' }],
  // Nobody has one of these.
  [{ totp: '123456' }],
  [{ recoveryCode: 'abcd-efgh' }],
])('%j confirms nothing, and the session stays valid', async (shown) => {
  const t = await testApp()
  wait(6 * MINUTE)
  const failed = await confirm(t, t.asAdmin, shown)
  expect(failed.json()).toMatchObject({ statusCode: 403, code: 'CONFIRM_FAILED' })
  expect(await codeFor(t, t.asAdmin)).toBe('ok')
  expect((await call(t, t.asAdmin, 'GET', ACCOUNT)).json().confirmedUntil).toBeNull()
  expect(await newestEntry(t, t.asAdmin, 'confirm.failed')).toMatchObject({
    ...{ actor: ADMIN.email, actorKind: 'admin', after: { code: 'CONFIRM_FAILED' } },
    session: expect.any(String),
  })
})

test.each([
  [{}],
  [{ password: '' }],
  [{ totp: '12345' }],
  [{ password: ADMIN.password, totp: '123456' }],
  [{ fingerprint: 'x' }],
])('confirming with %j is 400', async (shown) => {
  const t = await testApp()
  expect((await confirm(t, t.asAdmin, shown)).json()).toMatchObject({
    ...{ statusCode: 400, code: 'VALIDATION_FAILED' },
  })
})

test('a stolen session guesses the password ten times a minute, from however many addresses', async () => {
  const t = await testApp()
  const guess = (n: number) =>
    t.app.inject({
      ...{ method: 'POST', url: '/auth/confirm', headers: t.asAdmin },
      ...{ payload: { password: `guess ${n}` }, remoteAddress: `203.0.113.${n}` },
    })
  const statuses: number[] = []
  for (let n = 1; n <= 12; n += 1) statuses.push((await guess(n)).statusCode)
  expect(statuses).toEqual([...Array(10).fill(403), 429, 429])
  const owner = await sessionOf(t, ADMIN)
  expect((await confirm(t, owner, { password: ADMIN.password })).statusCode).toBe(200)
})
