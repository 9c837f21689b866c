import type { InjectOptions } from 'fastify'
import type { Person } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { CONSOLE, GATEWAY, OpenIdBrowser, type PageEnd, toEnd } from './support/openid-browser.ts'
import {
  CLIENT,
  type OpenIdTestProvider,
  type ProviderOptions,
  startOpenIdProvider,
} from './support/openid-provider.ts'
import { createPerson, signIn, withNewSession } from './support/person.ts'
import { setDates } from './support/set-dates.ts'
import { shared as sharedOf } from './support/shared-app.ts'

const MINUTE = 60_000
const ACCOUNT = '/api/admin/account'
const PEOPLE = '/api/admin/people'

// A session is used, left and confirmed as the test says; the provider has the same clock.
const wait = setDates()

interface World extends TestApp {
  readonly provider: OpenIdTestProvider
}

const ADA = { email: 'ada@sluice.test', email_verified: true, roles: ['staff', 'sluice-operators'] }
const REDIRECT_URI = `${GATEWAY}/auth/openid/callback`

async function world(
  env: Record<string, string> = {},
  options: Partial<ProviderOptions> = {},
  logLines: string[] = [],
  onEnd: (close: () => Promise<unknown>) => void = (close) =>
    onTestFinished(async () => void (await close())),
): Promise<World> {
  const provider = await startOpenIdProvider({ redirectUri: REDIRECT_URI, ...options })
  onEnd(async () => provider.close())
  provider.people.set('ada', ADA)
  provider.signsIn = 'ada'
  const t = await testApp({
    ...{ logLines, onEnd },
    env: {
      ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT.id },
      ...{ OIDC_CLIENT_SECRET: CLIENT.secret, OIDC_NAME: 'Example ID' },
      OIDC_ROLES: 'admin=sluice-admins,operator=sluice-operators,viewer=staff',
      GATEWAY_URL: GATEWAY,
      ...env,
    },
  })
  return { ...t, provider }
}

const shared = sharedOf((onEnd) => world({}, {}, [], onEnd))

/** A world for tests that make nobody but Ada, with a provider that does nothing special. */
async function sharedWorld(): Promise<World> {
  const t = await withNewSession(shared())
  Object.assign(t.provider, { signsIn: 'ada', tamper: null, signsWrong: false, isDown: false })
  return t
}

type Headers = Record<string, string>
function call(t: TestApp, headers: Headers, method: string, url: string, payload?: object) {
  return t.app.inject({
    ...{ method: method as InjectOptions['method'] & 'GET', url, headers },
    ...(payload === undefined ? {} : { payload }),
  })
}
const show = (t: TestApp, { code, verifier }: Pick<PageEnd, 'code' | 'verifier'>) =>
  t.app.inject({ method: 'POST', url: '/auth/openid/session', payload: { code, verifier } })
/** Signs in as whom the provider signs in. */
const enter = async (t: World, browser = new OpenIdBrowser(t)) => show(t, await browser.goThrough())
async function enterAs(t: World, name: string, browser?: OpenIdBrowser): Promise<Headers> {
  t.provider.signsIn = name
  const response = await enter(t, browser)
  if (response.statusCode !== 200) throw new Error(response.body)
  return { authorization: `Bearer ${response.json().token}` }
}
/** Signs in as somebody of whom the provider says this. */
async function enterWith(t: World, name: string, claims: object) {
  t.provider.people.set(name, { ...claims })
  t.provider.signsIn = name
  return (await enter(t)).json()
}
const entriesOf = async (t: TestApp, subject: string) =>
  (await call(t, t.asAdmin, 'GET', `/api/admin/audit?subject=${subject}`)).json().entries

test('a person signs in at the provider, is made at the first time, and has the role of the claim', async () => {
  const t = await world()
  expect((await t.app.inject({ url: '/auth/methods' })).json()).toEqual({
    password: true,
    openid: { name: 'Example ID' },
  })
  const { response, location } = await new OpenIdBrowser(t).begin()
  expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
    ...{ client_id: CLIENT.id, redirect_uri: REDIRECT_URI, response_type: 'code' },
    ...{ scope: 'openid email profile', code_challenge_method: 'S256' },
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    ...{ state: expect.stringMatching(/^[\w-]{43}$/), nonce: expect.stringMatching(/^[\w-]{43}$/) },
  })
  expect(`${response.headers['set-cookie']}`).toMatch(
    /^sluice_openid=[\w-]+; Max-Age=600; Path=\/auth\/openid; HttpOnly; SameSite=Lax$/,
  )
  expect(response.headers['cache-control']).toBe('no-store')

  const end = await new OpenIdBrowser(t).goThrough()
  expect(`${end.page.origin}${end.page.pathname}${end.page.search}`).toBe(`${CONSOLE}/openid`)
  const signedIn = await show(t, end)
  expect(signedIn.json()).toMatchObject({
    user: { email: 'ada@sluice.test', role: 'operator' },
    expiresAt: expect.stringMatching(/Z$/),
  })
  const headers = { authorization: `Bearer ${signedIn.json().token}` }
  expect((await call(t, headers, 'GET', ACCOUNT)).json()).toMatchObject({
    ...{ hasPassword: false, provider: 'Example ID', factors: [] },
    session: { factor: 'openid' },
  })
  expect(await entriesOf(t, 'ada@sluice.test')).toMatchObject([
    { action: 'sign-in.succeeded', actor: 'ada@sluice.test', after: { factor: 'openid' } },
    { action: 'admin.created', after: { role: 'operator', issuer: t.provider.issuer } },
  ])
  // The same person again, however the e-mail is written there now.
  t.provider.people.set('ada', { email: 'ADA@other.test', roles: 'staff' })
  const again = await enter(t)
  expect(again.json().user).toEqual({ ...signedIn.json().user, role: 'viewer' })
})

test.each([
  ['only the user info has the claims', {}, { isWhole: false }, { roles: ['sluice-admins'] }],
  ['by HTTP POST', {}, { method: 'client_secret_post' }, { roles: 'sluice-admins' }],
  [
    'a path',
    { OIDC_ROLE_CLAIM: 'realm_access.roles' },
    {},
    { realm_access: { roles: ['staff', 'sluice-admins'] } },
  ],
] as const)('the provider states roles: %s', async (_, env, options, claims) => {
  const t = await world(env, options)
  const entered = await enterWith(t, 'eve', { email: 'eve@sluice.test', ...claims })
  expect(entered).toMatchObject({ user: { role: 'admin' } })
})

test('what the browser returns with is good once, for its page and for a minute', async () => {
  const t = await sharedWorld()
  const end = await new OpenIdBrowser(t).goThrough()
  const { verifier } = await new OpenIdBrowser(t).begin()
  const expired = expect.objectContaining({ statusCode: 401, code: 'OPENID_EXPIRED' })
  expect((await show(t, { ...end, verifier })).json()).toEqual(expired)
  // The wrong verifier used it up.
  expect((await show(t, end)).json()).toEqual(expired)

  const second = await new OpenIdBrowser(t).goThrough()
  expect((await show(t, second)).statusCode).toBe(200)
  expect((await show(t, second)).json()).toEqual(expired)

  const late = await new OpenIdBrowser(t).goThrough()
  wait(MINUTE)
  expect((await show(t, late)).json()).toEqual(expired)
  // One that confirms does not sign in.
  const other = await new OpenIdBrowser(t).goThrough({ purpose: 'confirm' })
  expect((await show(t, other)).json()).toEqual(expired)
})

test('a callback counts once, in the browser that began, with its state, and for ten minutes', async () => {
  const t = await sharedWorld()
  const browser = new OpenIdBrowser(t)
  const { location } = await browser.begin()
  const cookie = browser.ofGateway
  const back = await browser.atProvider(location)
  const errorOf = async (address: string, ofGateway: string) => {
    browser.ofGateway = ofGateway
    return toEnd(await browser.callback(address)).error
  }
  const state = new URL(back)
  state.searchParams.set('state', 'another')
  expect(await errorOf(state.href, cookie)).toBe('OPENID_FAILED')
  const missing = new URL(back)
  missing.searchParams.delete('state')
  expect(await errorOf(missing.href, cookie)).toBe('OPENID_FAILED')
  expect(await errorOf(`${back}&state=another`, cookie)).toBe('OPENID_FAILED')
  expect(await errorOf(back, '')).toBe('OPENID_EXPIRED')
  expect(await errorOf(back, `${cookie.slice(0, -3)}AAA`)).toBe('OPENID_EXPIRED')
  // Another gateway's: the same browser, another process.
  const other = new OpenIdBrowser(await world())
  await other.begin()
  expect(await errorOf(back, other.ofGateway)).toBe('OPENID_EXPIRED')

  expect(await errorOf(back, cookie)).toBe(null)
  expect(browser.ofGateway).toBe('')
  expect(await errorOf(back, cookie)).toBe('OPENID_FAILED')

  const late = new OpenIdBrowser(t)
  const lateBack = await late.atProvider((await late.begin()).location)
  wait(10 * MINUTE)
  expect(toEnd(await late.callback(lateBack)).error).toBe('OPENID_EXPIRED')
})

test.each([
  ['the nonce of another sign-in', () => ({ nonce: 'another' })],
  ['no nonce', () => ({ nonce: undefined })],
  ['another issuer', () => ({ iss: 'https://id.example.com' })],
  ['another audience', () => ({ aud: 'another' })],
  ['one of several audiences', () => ({ aud: [CLIENT.id, 'another'], azp: 'another' })],
  ['an expired token', () => ({ exp: Math.floor(Date.now() / 1000) - 60 })],
  ['no subject', () => ({ sub: undefined })],
  // Everybody whom a provider calls nothing was one person.
  ['an empty subject', () => ({ sub: '' })],
  ['a subject that is too long', () => ({ sub: 'x'.repeat(256) })],
])('an ID token is refused for %s', async (_, changes) => {
  const t = await sharedWorld()
  t.provider.tamper = (claims) => ({ ...claims, ...changes() })
  const { error, code } = await new OpenIdBrowser(t).goThrough()
  expect([error, code]).toEqual(['OPENID_FAILED', ''])
  const [entry] = (await call(t, t.asAdmin, 'GET', '/api/admin/audit?limit=1')).json().entries
  expect(entry).toMatchObject({ action: 'sign-in.failed', after: { code: 'OPENID_FAILED' } })
  expect(entry.after.reason).toMatch(/\w/)
})

test('an ID token needs the signature of a key of the provider; a new key is known at once', async () => {
  const t = await sharedWorld()
  expect((await enter(t)).statusCode).toBe(200)
  t.provider.rotate()
  expect((await enter(t)).statusCode).toBe(200)
  t.provider.signsWrong = true
  expect((await new OpenIdBrowser(t).goThrough()).error).toBe('OPENID_FAILED')
})

test('while the provider is down, passwords still work; when it is back, so does it', async () => {
  const t = await world()
  t.provider.isDown = true
  const { response } = await new OpenIdBrowser(t).begin()
  expect(toEnd(response)).toMatchObject({ error: 'OPENID_UNAVAILABLE' })
  expect((await signIn(t, ADMIN)).statusCode).toBe(200)
  t.provider.isDown = false
  wait(5_000)
  expect((await enter(t)).statusCode).toBe(200)

  // Between the two halves of a sign-in.
  const browser = new OpenIdBrowser(t)
  const back = await browser.atProvider((await browser.begin()).location)
  t.provider.isDown = true
  expect(toEnd(await browser.callback(back)).error).toBe('OPENID_UNAVAILABLE')
})

test("what ends at the provider is said by a code, without the provider's words; no token is kept or logged", async () => {
  const lines: string[] = []
  const t = await world({}, {}, lines)
  t.provider.signsIn = 'nobody'
  const { page, error } = await new OpenIdBrowser(t).goThrough()
  expect(error).toBe('OPENID_DENIED')
  expect(page.href).not.toContain('ecret')
  expect(lines.join('')).not.toContain('Secret words')

  t.provider.signsIn = 'ada'
  await enter(t)
  t.provider.tamper = (claims) => ({ ...claims, nonce: 'another' })
  await new OpenIdBrowser(t).goThrough()
  const tokens = t.provider.tokenRequests.flatMap((body) =>
    Object.values<unknown>(JSON.parse(body)),
  )
  const secrets = tokens.filter((value) => typeof value === 'string' && value.length > 40)
  expect(secrets.length).toBeGreaterThanOrEqual(4)
  const audit = (await call(t, t.asAdmin, 'GET', '/api/admin/audit')).body
  for (const secret of secrets) {
    expect(lines.join('')).not.toContain(secret)
    expect(audit).not.toContain(secret)
  }
})

test('another role ends the sessions of the person; no role ends them and lets nobody in', async () => {
  const t = await world()
  const first = await enterAs(t, 'ada')
  const same = await enterAs(t, 'ada')
  expect((await call(t, first, 'GET', ACCOUNT)).statusCode).toBe(200)
  t.provider.people.set('ada', { email: 'ada@sluice.test', roles: ['sluice-admins', 'staff'] })
  const raised = await enterAs(t, 'ada')
  expect((await call(t, same, 'GET', ACCOUNT)).json()).toMatchObject({ code: 'TOKEN_REVOKED' })
  expect((await call(t, raised, 'GET', PEOPLE)).statusCode).toBe(200)

  t.provider.people.set('ada', { email: 'ada@sluice.test', roles: [] })
  const refused = await enter(t)
  expect(refused.json()).toMatchObject({ statusCode: 403, code: 'OPENID_NO_ROLE' })
  expect((await call(t, raised, 'GET', ACCOUNT)).json()).toMatchObject({ code: 'TOKEN_REVOKED' })
  expect((await entriesOf(t, 'ada@sluice.test')).slice(0, 4)).toMatchObject([
    { action: 'sign-in.failed', after: { code: 'OPENID_NO_ROLE' } },
    { action: 'admin.sessions-ended', after: { role: null, by: 'openid' } },
    { action: 'sign-in.succeeded' },
    {
      action: 'admin.role-changed',
      ...{ before: { role: 'operator' }, after: { role: 'admin', by: 'openid' } },
    },
  ])
})

test('somebody without a role, or without an e-mail address, is not made', async () => {
  const t = await world()
  for (const [name, claims, code] of [
    ['mallory', { email: 'mallory@sluice.test', roles: ['SLUICE-ADMINS'] }, 'OPENID_NO_ROLE'],
    ['trent', { roles: ['staff'] }, 'OPENID_EMAIL_MISSING'],
    ['walter', { email: 'no address', roles: ['staff'] }, 'OPENID_EMAIL_MISSING'],
  ] as const)
    expect(await enterWith(t, name, claims), name).toMatchObject({ code })
  const people: Person[] = (await call(t, t.asAdmin, 'GET', PEOPLE)).json()
  expect(people.map(({ email }) => email)).toEqual([ADMIN.email])
})

test('an account with the same e-mail is linked when that is verified, and to one person only', async () => {
  const t = await world()
  const grace = await createPerson(t, 'viewer', 'grace@sluice.test')
  const person = { roles: ['sluice-operators'], email: 'GRACE@sluice.test' }
  const enterAt = (name: string, claims: object) => enterWith(t, name, { ...person, ...claims })
  const taken = expect.objectContaining({ statusCode: 403, code: 'OPENID_EMAIL_TAKEN' })
  expect(await enterAt('g-1', { email_verified: false })).toEqual(taken)
  expect(await enterAt('g-1', { email_verified: 'true' })).toEqual(taken)
  expect(await enterAt('g-1', {})).toEqual(taken)
  const linked = await enterAt('g-1', { email_verified: true })
  expect(linked.user).toEqual({ id: grace.id, email: grace.email, role: 'operator' })
  // The address was given to somebody else there.
  expect(await enterAt('g-2', { email_verified: true })).toEqual(taken)
  expect((await entriesOf(t, grace.email)).map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['admin.openid-linked', 'admin.role-changed']),
  )
  // The sessions with the role of before have ended.
  expect((await call(t, grace.headers, 'GET', ACCOUNT)).statusCode).toBe(401)
  // The password ends with the role of before; see below.
  expect((await signIn(t, grace)).json()).toMatchObject({ code: 'LOGIN_FAILED' })
})

// An admin made an account for somebody who was to come, with a password that the admin chose. The
// provider made its person an admin, and the password opened that account: one admin had two.
test('a higher role than before takes the password from an account', async () => {
  const t = await world()
  const grace = await createPerson(t, 'operator', 'grace@sluice.test')
  const enterAt = async (roles: string) => {
    const claims = { roles, email: grace.email, email_verified: true }
    return { authorization: `Bearer ${(await enterWith(t, 'grace', claims)).token}` }
  }
  const self = async (headers: Headers) => (await call(t, headers, 'GET', ACCOUNT)).json()
  expect(await self(await enterAt('sluice-operators'))).toMatchObject({ hasPassword: true })
  expect((await signIn(t, grace)).statusCode).toBe(200)
  expect(await self(await enterAt('staff'))).toMatchObject({ hasPassword: true })
  const { password } = (await call(t, t.asAdmin, 'POST', `${PEOPLE}/${grace.id}/password`)).json()

  const raised = await enterAt('sluice-admins')
  expect(await self(raised)).toMatchObject({ role: 'admin', hasPassword: false })
  const guess = await signIn(t, { ...grace, password })
  expect(guess.json()).toMatchObject({ statusCode: 401, code: 'LOGIN_FAILED' })
  expect(await entriesOf(t, grace.email)).toContainEqual(
    expect.objectContaining({
      action: 'admin.role-changed',
      after: { role: 'admin', by: 'openid', password: 'removed' },
    }),
  )
})

test('a disabled person is refused, also one that would be linked', async () => {
  const t = await world()
  await enterAs(t, 'ada')
  const grace = await createPerson(t, 'viewer', 'grace@sluice.test')
  t.provider.people.set('grace', { email: grace.email, email_verified: true, roles: 'staff' })
  const people: Person[] = (await call(t, t.asAdmin, 'GET', PEOPLE)).json()
  for (const { id } of people.slice(1))
    await call(t, t.asAdmin, 'PATCH', `${PEOPLE}/${id}`, { isDisabled: true })
  for (const name of ['ada', 'grace']) {
    t.provider.signsIn = name
    expect((await enter(t)).json()).toMatchObject({ statusCode: 403, code: 'OPENID_DISABLED' })
  }
})

test('who signs in at the provider has no role and no password from here', async () => {
  const t = await world()
  const headers = await enterAs(t, 'ada')
  const [, ada] = (await call(t, t.asAdmin, 'GET', PEOPLE)).json()
  expect(ada).toMatchObject({ provider: 'Example ID', hasPassword: false })
  const codeOf = async (asWho: Headers, method: string, url: string, payload?: object) =>
    (await call(t, asWho, method, url, payload)).json().code
  const url = `${PEOPLE}/${ada.id}`
  expect(await codeOf(t.asAdmin, 'PATCH', url, { role: 'admin' })).toBe('ROLE_FROM_PROVIDER')
  expect(await codeOf(t.asAdmin, 'POST', `${url}/password`)).toBe('NO_PASSWORD')
  const newPassword = 'a new horse battery staple'
  expect(await codeOf(headers, 'PUT', `${ACCOUNT}/password`, { newPassword })).toBe('NO_PASSWORD')
  const guess = await signIn(t, { email: ada.email, password: newPassword })
  expect(guess.json()).toMatchObject({ statusCode: 401, code: 'LOGIN_FAILED' })
  expect((await call(t, t.asAdmin, 'PATCH', url, { isDisabled: true })).statusCode).toBe(200)
})

// It waited for an approval, and was refused only then.
test('what is refused for a person of the provider does not wait for a second admin', async () => {
  const t = await world({ REQUIRE_SECOND_ADMIN: 'true' })
  await enterAs(t, 'ada')
  const [, { id }] = (await call(t, t.asAdmin, 'GET', PEOPLE)).json()
  const raised = await call(t, t.asAdmin, 'PATCH', `${PEOPLE}/${id}`, { role: 'admin' })
  expect(raised.json()).toMatchObject({ statusCode: 409, code: 'ROLE_FROM_PROVIDER' })
  t.provider.people.set('ada', { email: 'ada@sluice.test', roles: 'sluice-admins' })
  await enterAs(t, 'ada')
  const reset = await call(t, t.asAdmin, 'POST', `${PEOPLE}/${id}/password`)
  expect(reset.json()).toMatchObject({ statusCode: 409, code: 'NO_PASSWORD' })
  expect((await call(t, t.asAdmin, 'GET', '/api/admin/approvals')).json()).toEqual([])
})

test('PASSWORD_SIGN_IN=off refuses every password, the right one too', async () => {
  const t = await world({ PASSWORD_SIGN_IN: 'off' })
  const off = expect.objectContaining({ statusCode: 403, code: 'PASSWORD_SIGN_IN_OFF' })
  expect((await signIn(t, ADMIN)).json()).toEqual(off)
  expect((await signIn(t, { ...ADMIN, password: 'another one' })).json()).toEqual(off)
  expect((await t.app.inject({ url: '/auth/methods' })).json()).toMatchObject({ password: false })
  expect((await enter(t)).statusCode).toBe(200)
})

test('the browser returns to a console that the settings name, and nowhere else', async () => {
  const t = await world({ CONSOLE_ORIGIN: `${CONSOLE}, https://console.example.com` })
  const second = await new OpenIdBrowser(t).goThrough({ origin: 'https://console.example.com' })
  expect(second.page.href).toMatch(/^https:\/\/console\.example\.com\/openid#code=/)
  for (const origin of [
    ...['https://evil.example', `${CONSOLE}.evil.example`, `${CONSOLE}@evil.example`, '//evil'],
    ...[`${CONSOLE}/`, 'https://console.example.com:8443', 'javascript:alert(1)', 'null', ''],
  ]) {
    const { response } = await new OpenIdBrowser(t).begin({ origin })
    expect([origin, response.statusCode, response.json().code]).toEqual([
      ...[origin, 400, 'OPENID_ORIGIN'],
    ])
  }
  // Without its cookie a callback goes to the first console, whatever it says.
  const stray = await t.app.inject({
    url: '/auth/openid/callback?code=x&state=y&origin=https://evil.example',
  })
  expect(`${stray.headers.location}`).toBe(
    `${CONSOLE}/openid#error=OPENID_EXPIRED&purpose=sign-in&challenge=`,
  )
})

test('what must be confirmed is, by signing in at the provider again as the same person', async () => {
  const t = await world()
  t.provider.people.set('ada', { email: 'ada@sluice.test', roles: ['sluice-admins'] })
  t.provider.people.set('bob', { email: 'bob@sluice.test', roles: ['sluice-admins'] })
  const browser = new OpenIdBrowser(t)
  const ada = await enterAs(t, 'ada', browser)
  const create = async () =>
    (await call(t, ada, 'POST', '/api/admin/client-credentials', { clientId: 'bot' })).json()
  wait(6 * MINUTE)
  expect(await create()).toMatchObject({ code: 'FRESH_FACTOR_NEEDED', factors: ['openid'] })
  const confirm = async (end: PageEnd) =>
    call(t, ada, 'POST', '/auth/confirm', { openid: { code: end.code, verifier: end.verifier } })
  const failed = expect.objectContaining({ statusCode: 403, code: 'CONFIRM_FAILED' })

  // The session at the provider alone is not enough.
  const { location } = await browser.begin({ purpose: 'confirm' })
  expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
    ...{ prompt: 'login', max_age: '0' },
  })
  // What signs in does not confirm.
  expect((await confirm(await browser.goThrough())).json()).toEqual(failed)
  // Nor does another person.
  t.provider.signsIn = 'bob'
  expect(
    (await confirm(await new OpenIdBrowser(t).goThrough({ purpose: 'confirm' }))).json(),
  ).toEqual(failed)
  t.provider.signsIn = 'ada'
  // Nor what the provider says of an earlier sign-in, or does not say.
  const sixMinutesAgo = Math.floor(Date.now() / 1000) - 360
  for (const authTime of [sixMinutesAgo, undefined]) {
    t.provider.tamper = (claims) => ({ ...claims, auth_time: authTime })
    expect((await confirm(await browser.goThrough({ purpose: 'confirm' }))).json()).toEqual(failed)
  }
  t.provider.tamper = null
  expect((await call(t, ada, 'POST', '/auth/confirm', { password: 'a password' })).json()).toEqual(
    failed,
  )

  const end = await browser.goThrough({ purpose: 'confirm' })
  expect(end.page.hash).toMatch(/purpose=confirm&challenge=[\w-]{43}$/)
  expect((await confirm(end)).json()).toMatchObject({ factor: 'openid' })
  expect(await create()).toMatchObject({ clientId: 'bot' })
  expect((await confirm(end)).json()).toEqual(failed)
  const actions = (await entriesOf(t, 'ada@sluice.test')).map(
    ({ action }: { action: string }) => action,
  )
  expect(actions).toEqual(expect.arrayContaining(['confirm.succeeded', 'confirm.failed']))
})

test('an old session at the provider is not a fresh factor', async () => {
  const t = await world()
  t.provider.people.set('ada', { email: 'ada@sluice.test', roles: ['sluice-admins'] })
  const browser = new OpenIdBrowser(t)
  await enterAs(t, 'ada', browser)
  wait(6 * MINUTE)
  const ada = await enterAs(t, 'ada', browser)
  expect(
    (await call(t, ada, 'POST', PEOPLE, { email: 'x@sluice.test', role: 'viewer' })).json(),
  ).toMatchObject({
    code: 'FRESH_FACTOR_NEEDED',
  })
})

test('who must have a second factor has one at the provider, while the session began there', async () => {
  const t = await world({ REQUIRE_SECOND_FACTOR: 'true' })
  // The first administrator has a password and nothing else.
  expect((await call(t, t.asAdmin, 'GET', '/api/stats')).json()).toMatchObject({
    code: 'SECOND_FACTOR_REQUIRED',
  })
  const ada = await enterAs(t, 'ada')
  expect((await call(t, ada, 'GET', '/api/stats')).statusCode).toBe(200)
})

test('one address cannot flood the routes of the provider', async () => {
  const t = await world()
  const ends: (string | null)[] = []
  for (let attempt = 0; attempt < 61; attempt += 1) {
    const { response } = await new OpenIdBrowser(t).begin()
    ends.push(new URL(`${response.headers.location}`).hash)
  }
  expect(ends.filter((hash) => hash?.includes('TOO_MANY_ATTEMPTS'))).toHaveLength(1)
  const codes: string[] = []
  const code = 'x'.repeat(43)
  for (let attempt = 0; attempt < 61; attempt += 1)
    codes.push(
      (await show(t, { code: `${attempt}`.padStart(43, 'x'), verifier: code })).json().code,
    )
  expect(new Set(codes)).toEqual(new Set(['OPENID_EXPIRED', 'TOO_MANY_ATTEMPTS']))
})

test('without a provider there is nothing of it', async () => {
  const t = await testApp()
  expect((await t.app.inject({ url: '/auth/methods' })).json()).toEqual({
    password: true,
    openid: null,
  })
  const code = 'x'.repeat(43)
  const { response } = await new OpenIdBrowser(t).begin()
  expect(response.json()).toMatchObject({ statusCode: 404, code: 'OPENID_OFF' })
  expect((await t.app.inject({ url: '/auth/openid/callback' })).json().code).toBe('OPENID_OFF')
  expect((await show(t, { code, verifier: code })).json().code).toBe('OPENID_OFF')
  const openid = { code, verifier: code }
  const confirmed = await call(t, t.asAdmin, 'POST', '/auth/confirm', { openid })
  expect(confirmed.json()).toMatchObject({ code: 'CONFIRM_FAILED' })
})
