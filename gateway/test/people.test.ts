import {
  type ClientLimitChanges,
  changeClientLimits,
  changePassword,
  changePerson,
  confirm,
  createClient,
  createPerson,
  endOwnSession,
  endSessionsOfPerson,
  getAccount,
  getOperations,
  listApprovals,
  listAudit,
  listClients,
  listOwnSessions,
  listPeople,
  listSessionsOfPerson,
  type NewClientLimits,
  type Permission,
  type PersonChanges,
  replaceClientLimits,
  resetPassword,
  resumeClient,
  resumeEverything,
  resumeExchange,
  stopClient,
  stopEverything,
  toggleClient,
  updateClient,
} from 'schema'
import { expect, test, vi } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { wrong } from './support/call.ts'
import * as people from './support/person.ts'
import { setDates } from './support/set-dates.ts'
import { sharedApp } from './support/shared-app.ts'

const { sessionOf, signIn } = people
const MINUTE = 60_000

// A session is used, left and confirmed as the test says.
const wait = setDates()

const shared = sharedApp()
/** The shared app, with an admin who has just signed in. */
const app = () => people.withNewSession(shared())

let emails = 0
const newEmail = () => {
  emails += 1
  return `person-${emails}@sluice.test`
}
const newPerson = (t: TestApp, role: Parameters<typeof people.createPerson>[1]) =>
  people.createPerson(t, role, newEmail())

const codeFor = async ({ call }: TestApp, headers: TestApp['asAdmin']) => {
  const { status, body } = await call(getAccount, {}, headers)
  return status === 200 ? 'ok' : body.code
}
const newestEntry = async ({ call }: TestApp, action: string) =>
  (await call(listAudit, { query: { limit: 1, action } })).body.entries[0]
const listed = async ({ call }: TestApp, email: string) =>
  (await call(listPeople)).body.find((person) => person.email === email)

test('a person is created with a generated password, signs in, and is listed', async () => {
  const t = await app()
  const email = newEmail()
  const created = await t.call(createPerson, { body: { email, role: 'operator' } })
  expect(created.status).toBe(201)
  expect(created.headers['cache-control']).toBe('no-store')
  const { person, password } = created.body
  expect(password).toMatch(/^\w{5}(-\w{5}){3}$/)
  const signedIn = await signIn(t, { email, password: password ?? '' })
  expect(signedIn.json().user).toEqual({ id: person.id, email, role: 'operator' })

  expect(await listed(t, ADMIN.email)).toMatchObject({ id: 1, role: 'admin', isDisabled: false })
  expect(await listed(t, email)).toMatchObject({
    ...{ ...person, sessions: 1, factors: [] },
    ...{ lastUsedAt: expect.stringMatching(/Z$/), lastSignInAt: expect.stringMatching(/Z$/) },
  })
  const twice = { email: email.toUpperCase(), role: 'viewer' } as const
  expect((await t.call(createPerson, { body: twice })).body).toMatchObject({
    ...{ statusCode: 409, code: 'ADMIN_EXISTS' },
  })
})

test.each([
  [{ role: 'viewer', password: 'short' }, 'PASSWORD_TOO_SHORT'],
  [{ role: 'viewer', password: 'password1234' }, 'PASSWORD_TOO_COMMON'],
  [{ role: 'viewer', password: 'eve@sluice.test' }, 'PASSWORD_TOO_COMMON'],
  [{ role: 'root' }, 'VALIDATION_FAILED'],
  [{ email: 'nobody', role: 'viewer' }, 'VALIDATION_FAILED'],
  [{}, 'VALIDATION_FAILED'],
])('nobody is created from %j: %s', async (fields, code) => {
  const t = await app()
  const before = (await t.call(listPeople)).body.length
  const body = wrong({ email: 'eve@sluice.test', ...fields })
  const refused = await t.call(createPerson, { body })
  expect(refused.body).toMatchObject({ statusCode: 400, code })
  expect((await t.call(listPeople)).body).toHaveLength(before)
})

test('the last sign-in of a person is known when no session is left of it', async () => {
  vi.setSystemTime('2026-01-01T00:00:00.000Z')
  const t = await testApp()
  const person = {
    ...{ email: 'grace@sluice.test', role: 'viewer' as const },
    password: 'a-good-passw0rd-of-hers',
  }
  const { body: created } = await t.call(createPerson, { body: person })
  expect(created.person.lastSignInAt).toBeNull()
  wait(MINUTE)
  await signIn(t, person)
  wait(MINUTE)
  await signIn(t, { ...person, password: 'a wrong one' })
  await t.call(endSessionsOfPerson, { params: { id: created.person.id } })
  expect(await listed(t, person.email)).toMatchObject({
    ...{ sessions: 0, lastUsedAt: null, lastSignInAt: '2026-01-01T00:01:00.000Z' },
  })
})

test.each<[what: string, changes: PersonChanges]>([
  ['the role', { role: 'operator' }],
  ['the right to sign in', { isDisabled: true }],
])('a change of %s ends the sessions of the person at once', async (_what, body) => {
  const t = await app()
  const { id, headers, email } = await newPerson(t, 'viewer')
  expect(await codeFor(t, headers)).toBe('ok')
  const change = async () => (await t.call(changePerson, { params: { id }, body })).body
  expect(await change()).toMatchObject({
    ...{ endedSessions: 1, person: { id, email, ...body, sessions: 0 } },
  })
  expect(await codeFor(t, headers)).toBe('TOKEN_REVOKED')
  // The same again changes nothing, and ends nothing.
  expect(await change()).toMatchObject({ endedSessions: 0 })
})

test('who is disabled cannot sign in, and can again when enabled', async () => {
  const t = await app()
  const person = await newPerson(t, 'viewer')
  const setDisabled = (isDisabled: boolean) =>
    t.call(changePerson, { params: { id: person.id }, body: { isDisabled } })
  await setDisabled(true)
  expect((await signIn(t, person)).json().code).toBe('LOGIN_FAILED')
  expect((await setDisabled(false)).status).toBe(200)
  expect((await signIn(t, person)).statusCode).toBe(200)
  const trail = await t.call(listAudit, { query: { action: 'admin', subject: person.email } })
  expect(trail.body.entries).toMatchObject([
    { action: 'admin.enabled', before: { isDisabled: true }, after: { isDisabled: false } },
    { action: 'admin.disabled', actor: ADMIN.email },
    { action: 'admin.created', after: { role: 'viewer' } },
  ])
})

test('the last admin keeps the role and stays enabled; with another one it is possible', async () => {
  const t = await testApp()
  await newPerson(t, 'operator')
  const params = { id: 1 }
  const changes: readonly PersonChanges[] = [{ role: 'viewer' }, { isDisabled: true }]
  for (const body of changes)
    expect((await t.call(changePerson, { params, body })).body).toMatchObject({
      ...{ statusCode: 409, code: 'LAST_ADMIN' },
    })
  expect(await codeFor(t, t.asAdmin)).toBe('ok')
  const second = await newPerson(t, 'admin')
  const changed = await t.call(changePerson, { params, body: { role: 'viewer' } }, second)
  expect(changed.status).toBe(200)
  expect(await codeFor(t, t.asAdmin)).toBe('TOKEN_REVOKED')
})

test('a reset password is shown once, ends all sessions, and replaces the old one', async () => {
  const t = await app()
  const person = await newPerson(t, 'viewer')
  const reset = await t.call(resetPassword, { params: { id: person.id } })
  expect(reset.body).toEqual({ password: expect.any(String), endedSessions: 1 })
  expect(await codeFor(t, person.headers)).toBe('TOKEN_REVOKED')
  expect((await signIn(t, person)).statusCode).toBe(401)
  const { password } = reset.body
  expect((await signIn(t, { ...person, password })).statusCode).toBe(200)
})

test('an admin sees the sessions of a person, and ends them all', async () => {
  const t = await app()
  const person = await newPerson(t, 'viewer')
  await sessionOf(t, person, '203.0.113.5')
  const ofPerson = { params: { id: person.id } }
  const sessions = async () => (await t.call(listSessionsOfPerson, ofPerson)).body
  expect(await sessions()).toMatchObject([{ isCurrent: false }, { isCurrent: false }])
  expect((await t.call(endSessionsOfPerson, ofPerson)).body).toEqual({ endedSessions: 2 })
  expect(await sessions()).toEqual([])
  expect(await codeFor(t, person.headers)).toBe('TOKEN_REVOKED')
})

test('a person who does not exist is 404, whatever an admin does', async () => {
  const t = await app()
  const nobody = { params: { id: 9_999 } }
  for (const refused of [
    await t.call(changePerson, { ...nobody, body: { role: 'viewer' } }),
    await t.call(resetPassword, nobody),
    await t.call(listSessionsOfPerson, nobody),
    await t.call(endSessionsOfPerson, nobody),
  ])
    expect(refused).toMatchObject({ status: 404, body: { code: 'PERSON_NOT_FOUND' } })
})

test('the own account has its role, its session and when it ends', async () => {
  vi.setSystemTime('2026-01-01T00:00:00.000Z')
  const t = await testApp({ env: { SESSION_IDLE_MINUTES: '60' } })
  expect((await t.call(getAccount)).body).toEqual({
    ...{ id: 1, email: ADMIN.email, role: 'admin', createdAt: '2026-01-01T00:00:00.000Z' },
    ...{ hasPassword: true, provider: null },
    ...{ factors: [], recoveryCodesLeft: 0, confirmedUntil: '2026-01-01T00:05:00.000Z' },
    session: {
      ...{ id: expect.stringMatching(/^[\w-]{36}$/), createdAt: '2026-01-01T00:00:00.000Z' },
      ...{ lastUsedAt: '2026-01-01T00:00:00.000Z', endsAt: '2026-01-01T01:00:00.000Z' },
      ...{ expiresAt: '2026-01-01T08:00:00.000Z', device: 'lightMyRequest' },
      ...{ address: '127.0.0.1', factor: 'password', isCurrent: true },
    },
  })
})

test('a session that is used lasts for eight hours, with the same token', async () => {
  const t = await testApp({ env: { SESSION_IDLE_MINUTES: '60' } })
  for (let minutes = 0; minutes < 8 * 60 - 50; minutes += 50) {
    wait(50 * MINUTE)
    expect(await codeFor(t, t.asAdmin)).toBe('ok')
    await vi.waitFor(
      async () => {
        const { session } = (await t.call(getAccount)).body
        expect(Date.now() - Date.parse(session.lastUsedAt)).toBeLessThan(MINUTE)
      },
      { timeout: 60_000 },
    )
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
  const refused = await t.call(getAccount, {}, left)
  expect(refused.body).toMatchObject({ statusCode: 401, code: 'SESSION_IDLE' })
  expect(refused.headers['www-authenticate']).toContain('error="invalid_token"')
  const again = await sessionOf(t, ADMIN)
  expect((await t.call(listOwnSessions, {}, again)).body).toHaveLength(1)
})

test('SESSION_HOURS and SESSION_IDLE_MINUTES set how long sessions last', async () => {
  const t = await testApp({ env: { SESSION_HOURS: '1', SESSION_IDLE_MINUTES: '10' } })
  const signedIn = await signIn(t, ADMIN)
  expect(Date.parse(signedIn.json().expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000)
  wait(10 * MINUTE)
  expect(await codeFor(t, t.asAdmin)).toBe('SESSION_IDLE')
})

test('people end one of their own sessions, and nobody else ends it for them there', async () => {
  const t = await app()
  const person = await newPerson(t, 'viewer')
  const other = await sessionOf(t, person, '203.0.113.5')
  const sessions = (await t.call(listOwnSessions, {}, person)).body
  const { id = '' } = sessions.find(({ isCurrent }) => !isCurrent) ?? {}
  const end = (as?: typeof person) =>
    t.call(endOwnSession, { params: { id } }, as?.headers ?? t.asAdmin)
  expect((await end()).body.code).toBe('SESSION_NOT_FOUND')
  expect(await codeFor(t, other)).toBe('ok')
  expect((await end(person)).status).toBe(204)
  expect(await codeFor(t, other)).toBe('TOKEN_REVOKED')
  expect(await codeFor(t, person.headers)).toBe('ok')
  expect((await end(person)).body.code).toBe('SESSION_NOT_FOUND')
  expect(await newestEntry(t, 'session.ended')).toMatchObject({
    ...{ actor: person.email, subject: person.email },
    before: { session: id, address: '203.0.113.5' },
  })
})

test('a new password ends the other sessions, and the old one signs nobody in', async () => {
  const t = await app()
  const person = await newPerson(t, 'viewer')
  const other = await sessionOf(t, person, '203.0.113.5')
  const change = (newPassword: string) => t.call(changePassword, { body: { newPassword } }, person)
  expect((await change('too short')).body).toMatchObject({ code: 'PASSWORD_TOO_SHORT' })
  expect((await change(person.email)).body).toMatchObject({
    ...{ statusCode: 400, code: 'PASSWORD_TOO_COMMON' },
  })
  const password = 'a new horse battery'
  expect((await change(password)).body).toEqual({ endedSessions: 1 })
  const codes = [await codeFor(t, person.headers), await codeFor(t, other)]
  expect(codes).toEqual(['ok', 'TOKEN_REVOKED'])
  expect((await signIn(t, person)).statusCode).toBe(401)
  expect((await signIn(t, { ...person, password })).statusCode).toBe(200)
  const entry = await newestEntry(t, 'admin.password-changed')
  expect(entry).toMatchObject({ actor: person.email, subject: person.email, before: null })
  expect(JSON.stringify(entry)).not.toContain(password)
})

test('people and passwords need a factor that was shown in the last five minutes', async () => {
  const t = await app()
  const create = (email: string) => t.call(createPerson, { body: { email, role: 'viewer' } })
  wait(4 * MINUTE)
  expect((await create('one@sluice.test')).status).toBe(201)
  wait(MINUTE)
  expect((await create('two@sluice.test')).body).toMatchObject({
    ...{ statusCode: 403, code: 'FRESH_FACTOR_NEEDED', factors: ['password'] },
  })
  expect((await t.call(getAccount)).body.confirmedUntil).toBeNull()
  const confirmed = await t.call(confirm, { body: { password: ADMIN.password } })
  expect(confirmed.body).toEqual({
    ...{ factor: 'password', confirmedUntil: expect.stringMatching(/Z$/) },
  })
  expect((await create('two@sluice.test')).status).toBe(201)
})

test('without a second factor, the flows of the specification ask for nothing more', async () => {
  const t = await app()
  wait(60 * MINUTE)
  const created = await t.call(createClient, { body: { clientId: 'later' } })
  expect(created.status).toBe(201)
})

test.each([{}, { REQUIRE_SECOND_ADMIN: 'true' }])(
  'with %j, what lets a client do more needs a fresh factor, and what tightens does not',
  async (env) => {
    const t = await testApp({ env })
    const { id } = (await t.call(createClient, { body: { clientId: 'bot' } })).body
    const params = { id }
    const replace = (body: NewClientLimits) => t.call(replaceClientLimits, { params, body })
    const change = (body: ClientLimitChanges) => t.call(changeClientLimits, { params, body })
    const update = (permissions: Permission[]) =>
      t.call(updateClient, { params, body: { permissions } })
    const toggle = (isActive: boolean) => t.call(toggleClient, { params, body: { isActive } })
    const stop = { reason: 'odd' }
    expect((await replace({ maxOrderValue: '100' })).status).toBe(200)
    wait(6 * MINUTE)

    for (const tightened of [
      await change({ maxOrderValue: '50', state: 'reducing' }),
      await update(['market', 'account']),
      await toggle(false),
      await t.call(stopClient, { params, body: stop }),
      await t.call(stopEverything, { body: stop }),
    ])
      expect(tightened.status).toBe(200)
    const before = (await t.call(listClients)).body
    const loosen = async () => [
      await replace({}),
      await change({ state: 'active' }),
      await update(['market', 'account', 'settings']),
      await toggle(true),
      await t.call(resumeClient, { params }),
      await t.call(resumeExchange, { params: { exchange: 'mx' }, query: {} }),
      await t.call(resumeEverything),
    ]
    for (const refused of await loosen())
      expect(refused.body).toMatchObject({
        ...{ statusCode: 403, code: 'FRESH_FACTOR_NEEDED', factors: ['password'] },
      })
    expect((await t.call(listClients)).body).toEqual(before)
    expect((await t.call(listApprovals)).body).toEqual([])
    const refusals = (await t.call(listAudit, { query: { limit: 10, action: 'confirm.needed' } }))
      .body.entries
    expect(refusals.map(({ subject }) => subject).toReversed()).toEqual([
      `PUT /api/admin/client-credentials/${id}/limits`,
      `PATCH /api/admin/client-credentials/${id}/limits`,
      `PATCH /api/admin/client-credentials/${id}`,
      `PATCH /api/admin/client-credentials/${id}/toggle`,
      `POST /api/admin/client-credentials/${id}/resume`,
      'POST /api/admin/exchanges/mx/resume',
      'POST /api/admin/resume',
    ])

    await t.call(confirm, { body: { password: ADMIN.password } })
    const requiresSecondAdmin = 'REQUIRE_SECOND_ADMIN' in env
    expect((await t.call(getOperations)).body).toMatchObject({ requiresSecondAdmin })
    const waits = requiresSecondAdmin ? 202 : 200
    expect((await loosen()).map(({ status }) => status)).toEqual([
      ...[waits, waits, 200, 200],
      ...[waits, waits, waits],
    ])
  },
)

test.each([
  { password: 'not the password' },
  // Nobody has one of these.
  { totp: '123456' },
  { recoveryCode: 'abcd-efgh' },
])('%j confirms nothing, and the session stays valid', async (body) => {
  const t = await app()
  wait(6 * MINUTE)
  const failed = await t.call(confirm, { body: wrong(body) })
  expect(failed).toMatchObject({ status: 403, body: { code: 'CONFIRM_FAILED' } })
  expect(await codeFor(t, t.asAdmin)).toBe('ok')
  expect((await t.call(getAccount)).body.confirmedUntil).toBeNull()
  expect(await newestEntry(t, 'confirm.failed')).toMatchObject({
    ...{ actor: ADMIN.email, actorKind: 'admin', after: { code: 'CONFIRM_FAILED' } },
    session: expect.any(String),
  })
})

test.each([
  {},
  { password: '' },
  { totp: '12345' },
  { password: ADMIN.password, totp: '123456' },
  { fingerprint: 'x' },
])('confirming with %j is 400', async (shown) => {
  const { call } = await app()
  expect((await call(confirm, { body: wrong(shown) })).body).toMatchObject({
    ...{ statusCode: 400, code: 'VALIDATION_FAILED' },
  })
})

test('a stolen session guesses the password ten times a minute, from however many addresses', async () => {
  const t = await app()
  const statuses: number[] = []
  for (let n = 1; n <= 12; n += 1) {
    const as = { headers: t.asAdmin, remoteAddress: `203.0.113.${n}` }
    statuses.push((await t.call(confirm, { body: { password: `guess ${n}` } }, as)).status)
  }
  expect(statuses).toEqual([...Array(10).fill(403), 429, 429])
  const owner = await sessionOf(t, ADMIN)
  const shown = await t.call(confirm, { body: { password: ADMIN.password } }, owner)
  expect(shown.status).toBe(200)
})
