import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { catalogue, createPerson } from 'schema'
import { expect, test } from 'vitest'
import { ADMIN, testApp } from './app.ts'
import { sampleCall } from './support/sample-call.ts'
import {
  addPasskey,
  addTotp,
  asAdminOf,
  auditOf,
  CONSOLE,
  login,
  type Session,
  second,
  send,
  sessionOf,
} from './support/second-factors.ts'
import { setDates } from './support/set-dates.ts'
import { sharedApp } from './support/shared-app.ts'
import { type Odd, SoftwareAuthenticator } from './support/software-authenticator.ts'
import { tempFolder } from './support/temp-folder.ts'
import { STEP_MS, totpCode } from './support/totp-app.ts'

const GRACE = 'grace@sluice.test'

// A code is for half a minute: tests set the time.
const pass = setDates(Date.parse('2026-03-05T14:30:00.000Z'))

/** A gateway with a second administrator, who has the same password. */
async function withGrace() {
  const path = join(tempFolder(), 'sluice.db')
  const t = await testApp({ env: { DATABASE_URL: `file:${path}` } })
  const exec = (statement: string) => {
    const db = new Database(path)
    db.exec(statement)
    db.close()
  }
  exec(
    `insert into admins (email, password_hash, created_at_ms) select '${GRACE}', password_hash, created_at_ms from admins`,
  )
  const grace = sessionOf(t, (await login(t, { email: GRACE })).json().token)
  return { t, ada: asAdminOf(t), grace, exec }
}

const shared = sharedApp()
let admins = 0

/** Another administrator of the shared app, who has the same password. */
async function newAdmin() {
  admins += 1
  const t = shared()
  const email = `admin-${admins}@sluice.test`
  await t.call(createPerson, { body: { ...ADMIN, email, role: 'admin' } })
  const remoteAddress = `203.0.113.${admins}`
  const { token } = (await login(t, { email, remoteAddress })).json()
  return { t, email, remoteAddress, session: sessionOf(t, token) }
}

/** A sign-in that waits for the second factor. */
async function begin(t: Pick<Session, 'app'>, options = {}) {
  const response = await login(t, options)
  expect(response.json().code, response.body).toBe('SECOND_FACTOR_NEEDED')
  return response.json().signIn
}

test('a code works once, also at another place, and an older one no longer', async () => {
  const t = await testApp()
  const session = asAdminOf(t)
  const { secret } = await addTotp(session)
  // The code that added the app.
  const failed = await second(t, { signInId: (await begin(t)).id, totp: totpCode(secret) })
  expect(failed.json()).toMatchObject({ code: 'SECOND_FACTOR_FAILED', triesLeft: 4 })
  pass(2 * STEP_MS)
  const totp = totpCode(secret)
  expect((await second(t, { signInId: (await begin(t)).id, totp })).statusCode).toBe(200)
  expect((await second(t, { signInId: (await begin(t)).id, totp })).statusCode).toBe(401)
  expect((await send(session, 'POST', '/auth/confirm', { totp })).statusCode).toBe(403)
  const older = totpCode(secret, Date.now() - STEP_MS)
  expect((await second(t, { signInId: (await begin(t)).id, totp: older })).statusCode).toBe(401)
  // Nor when the clock is set back to where it was valid.
  pass(-STEP_MS)
  expect((await second(t, { signInId: (await begin(t)).id, totp })).statusCode).toBe(401)
})

test('a code counts while the clocks differ by a step, and not by two', async () => {
  const t = await testApp()
  const { secret } = await addTotp(asAdminOf(t))
  pass(10 * STEP_MS)
  const at = async (steps: number) => {
    const { id } = await begin(t)
    const totp = totpCode(secret, Date.now() + steps * STEP_MS)
    return (await second(t, { signInId: id, totp })).statusCode
  }
  expect([await at(-2), await at(2), await at(-1), await at(1)]).toEqual([401, 401, 200, 200])
})

test('of one sign-in there is one session, however many right answers come at once', async () => {
  const t = await testApp()
  const { key } = await addPasskey(asAdminOf(t))
  const signIn = await begin(t)
  // As passkeys that several devices share do, it does not count.
  const passkey = key.get(signIn.passkey, { counter: 0 })
  const sent = Array.from({ length: 4 }, () => second(t, { signInId: signIn.id, passkey }))
  const statuses = (await Promise.all(sent)).map(({ statusCode }) => statusCode)
  expect(statuses.toSorted()).toEqual([200, 401, 401, 401])
  // Neither the sign-in nor what was signed is worth anything any more.
  expect((await second(t, { signInId: signIn.id, passkey })).json().code).toBe('SIGN_IN_EXPIRED')
  const another = await begin(t)
  const replayed = await second(t, { signInId: another.id, passkey })
  expect(replayed.json().code).toBe('SECOND_FACTOR_FAILED')
})

test('of one recovery code there is one session, however often it is sent at once', async () => {
  const t = await testApp()
  const { recoveryCodes } = await addTotp(asAdminOf(t))
  const waiting = [await begin(t), await begin(t), await begin(t)]
  const sent = waiting.map(({ id }) => second(t, { signInId: id, recoveryCode: recoveryCodes[0] }))
  const statuses = (await Promise.all(sent)).map(({ statusCode }) => statusCode)
  expect(statuses.toSorted()).toEqual([200, 401, 401])
})

test("one person's factors and codes are worth nothing for another's sign-in", async () => {
  const { t, ada, grace } = await withGrace()
  const graces = { ...(await addTotp(grace)), ...(await addPasskey(grace)) }
  const codes = (await send(grace, 'POST', '/api/admin/account/recovery-codes')).json()
  const adas = await addPasskey(ada)
  pass(STEP_MS)
  const signIn = await begin(t)
  const gracesSignIn = await begin(t, { email: GRACE })
  const shown = [
    { totp: totpCode(graces.secret) },
    { recoveryCode: codes.recoveryCodes[0] },
    { passkey: graces.key.get(signIn.passkey) },
    // Ada's own key, for Grace's challenge.
    { passkey: adas.key.get(gracesSignIn.passkey) },
  ]
  for (const each of shown) {
    const response = await second(t, { signInId: signIn.id, ...each })
    expect(response.json().code, JSON.stringify(each)).toBe('SECOND_FACTOR_FAILED')
  }
  // Nothing of it was used up.
  const totp = totpCode(graces.secret)
  expect((await second(t, { signInId: gracesSignIn.id, totp })).statusCode).toBe(200)
  // Grace cannot touch Ada's factor either.
  const url = `/api/admin/account/factors/${adas.factor.id}`
  expect((await send(grace, 'DELETE', url)).json().code).toBe('FACTOR_NOT_FOUND')
  expect((await send(grace, 'PATCH', url, { name: 'mine' })).json().code).toBe('FACTOR_NOT_FOUND')
  const { id } = (await send(ada, 'POST', '/api/admin/account/totp', { name: 'Phone' })).json()
  const confirm = `/api/admin/account/totp/${id}/confirm`
  const foreign = await send(grace, 'POST', confirm, { code: '123456' })
  expect(foreign.json().code).toBe('FACTOR_NOT_FOUND')
})

test("a passkey that is somebody's is nobody else's", async () => {
  const { ada, grace } = await withGrace()
  const { key } = await addPasskey(grace)
  const options = (await send(ada, 'POST', '/api/admin/account/passkeys/options')).json()
  const body = { name: 'Key', response: key.create(options) }
  const added = await send(ada, 'POST', '/api/admin/account/passkeys', body)
  expect(added.json()).toMatchObject({ statusCode: 409, code: 'PASSKEY_TAKEN' })
})

test('a session that was stolen six minutes ago changes no factor, and no password', async () => {
  const t = await testApp()
  const session = asAdminOf(t)
  const { id } = await addTotp(session)
  pass(6 * 60_000)
  const own = catalogue.filter(({ isOwnAccount, confirm }) => isOwnAccount && confirm === 'always')
  expect(own).toHaveLength(8)
  for (const endpoint of own) {
    const { method, url, payload } = sampleCall(endpoint)
    const response = await t.app.inject({
      ...{ method, url: url.replace(/\/3(\/|$)/, `/${id}$1`), headers: session.headers },
      ...(payload === undefined ? {} : { payload }),
    })
    expect(response.json(), endpoint.id).toMatchObject({
      ...{ statusCode: 403, code: 'FRESH_FACTOR_NEEDED', factors: ['totp', 'recovery-code'] },
    })
  }
})

test('of 200 guesses ten are checked, and a passkey signs in at the same time', async () => {
  const t = await testApp()
  const { secret } = await addTotp(asAdminOf(t))
  const { key } = await addPasskey(asAdminOf(t))
  pass(STEP_MS)
  const codes = new Map<string, number>()
  for (let n = 0; n < 40; n += 1) {
    const from = `203.0.113.${n}`
    const { id } = await begin(t, { remoteAddress: from })
    for (let tries = 0; tries < 5; tries += 1) {
      const { code } = (await second(t, { signInId: id, totp: '000000' }, from)).json()
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
  }
  expect(Object.fromEntries(codes)).toEqual({ SECOND_FACTOR_FAILED: 10, TOO_MANY_ATTEMPTS: 190 })
  const right = await second(t, { signInId: (await begin(t)).id, totp: totpCode(secret) })
  expect(right.statusCode).toBe(429)
  expect(Number(right.headers['retry-after'])).toBeLessThanOrEqual(900)
  const signIn = await begin(t)
  const response = await second(t, { signInId: signIn.id, passkey: key.get(signIn.passkey) })
  expect(response.statusCode).toBe(200)
  pass(15 * 60_000)
  const later = await second(t, { signInId: (await begin(t)).id, totp: totpCode(secret) })
  expect(later.statusCode).toBe(200)
})

test.each([
  ['the person is disabled', `update admins set disabled_at_ms = 1 where email = '${GRACE}'`],
  ['the password changes', `update admins set password_hash = 'x' where email = '${GRACE}'`],
  ['the factor is removed', 'delete from second_factors'],
])('a sign-in that waits ends when %s', async (_what, statement) => {
  const { t, grace, exec } = await withGrace()
  const { secret } = await addTotp(grace)
  pass(STEP_MS)
  const { id } = await begin(t, { email: GRACE })
  exec(statement)
  const response = await second(t, { signInId: id, totp: totpCode(secret) })
  expect(response.statusCode, response.body).toBe(401)
})

test.each<[string, Odd]>([
  ['for another page', { origin: 'https://evil.example' }],
  ['for another port', { origin: 'http://localhost:9999' }],
  ['for another host name', { rpId: 'evil.example' }],
  ['to add a passkey', { type: 'webauthn.create' }],
  ['for another challenge', { challenge: 'q'.repeat(43) }],
  ['without anybody there', { flags: 0 }],
  ['by another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
  ['with the counter that it had', { counter: 3 }],
  ['with a counter that went back', { counter: 1 }],
])('what a passkey signed %s is refused, with the reason in the trail', async (_what, odd) => {
  const { t, session, ...who } = await newAdmin()
  const key = new SoftwareAuthenticator({ origin: CONSOLE })
  key.counter = 3
  await addPasskey(session, key)
  const signIn = await begin(t, who)
  const response = await second(t, { signInId: signIn.id, passkey: key.get(signIn.passkey, odd) })
  expect(response.json()).toMatchObject({ code: 'SECOND_FACTOR_FAILED', triesLeft: 4 })
  const [entry] = await auditOf(session, 'sign-in.failed')
  expect(entry).toMatchObject({
    ...{ subject: who.email, actorKind: 'anonymous' },
    after: { code: 'SECOND_FACTOR_FAILED', reason: expect.any(String) },
  })
  const right = await second(t, { signInId: signIn.id, passkey: key.get(signIn.passkey) })
  expect(right.statusCode).toBe(200)
})

test.each<[string, Odd, string?]>([
  ['of another page', { origin: 'https://evil.example' }],
  ['of another host name', { rpId: 'evil.example' }],
  ['of a sign-in', { type: 'webauthn.get' }],
  ['of another challenge', { challenge: 'q'.repeat(43) }],
  ['without anybody there', { flags: 0x40 }],
  ['with the attestation of a TPM', {}, 'tpm'],
  ['with the attestation of a phone', {}, 'android-key'],
])('a registration %s is refused', async (_what, odd, format) => {
  const { t, session, ...who } = await newAdmin()
  const options = (await send(session, 'POST', '/api/admin/account/passkeys/options')).json()
  const key = new SoftwareAuthenticator({ origin: CONSOLE })
  const add = (response: object) =>
    send(session, 'POST', '/api/admin/account/passkeys', { name: 'Key', response })
  const refused = await add(key.create(options, odd, format))
  expect(refused.json()).toMatchObject({ statusCode: 400, code: 'PASSKEY_REFUSED' })
  // What was to be signed is for one try.
  expect((await add(key.create(options))).json().code).toBe('PASSKEY_REFUSED')
  expect((await login(t, who)).statusCode).toBe(200)
})

test('elsewhere than at the console there is no passkey', async () => {
  const t = await testApp({ env: { CONSOLE_ORIGIN: `${CONSOLE},http://127.0.0.1:8081` } })
  const session = asAdminOf(t)
  await addPasskey(session)
  for (const origin of ['https://evil.example', 'http://127.0.0.1:8081', 'null', '']) {
    expect((await begin(t, { origin })).factors, origin).toEqual(['recovery-code'])
    const elsewhere = { ...session, headers: { ...session.headers, origin } }
    for (const url of ['/api/admin/account/passkeys/options', '/auth/confirm/passkey'])
      expect((await send(elsewhere, 'POST', url)).json().code, origin).toBe('PASSKEY_ORIGIN')
  }
})

/** Ways to bend the JSON of a passkey: each field in turn is something else. */
type Bend = (json: Readonly<Record<string, unknown>>) => unknown
const WRONG = ['', 'A', '=', '\u0000', 'x'.repeat(5_000), '💥', 0, null, [], {}, true]
const NO_CLIENT_DATA = ['null', '[]', '{}', '{"type":{}}', '"', '1e999', '{"challenge":[]}']
const whole =
  (value: unknown): Bend =>
  () =>
    value
const outside =
  (field: string, value: unknown): Bend =>
  (json) => ({ ...json, [field]: value })
const inside =
  (field: string, value: unknown): Bend =>
  (json) => ({ ...json, response: { ...Object(json.response), [field]: value } })
/** CBOR and authenticator data that end too early, or say that they are endless. */
const NO_DATA = ['', '9f', 'bf', '5f', '7bffffffffffffffff', 'a1', 'ff', '00'.repeat(37)]
const BINARY = ['authenticatorData', 'signature', 'attestationObject']
const base64url = (text: string, encoding: 'utf8' | 'hex') =>
  Buffer.from(text, encoding).toString('base64url')
const BENDS: readonly Bend[] = [
  ...WRONG.map(whole),
  ...['id', 'rawId', 'type', 'response'].flatMap((field) =>
    WRONG.map((value) => outside(field, value)),
  ),
  ...['clientDataJSON', ...BINARY, 'userHandle'].flatMap((field) =>
    WRONG.map((value) => inside(field, value)),
  ),
  ...NO_CLIENT_DATA.map((data) => inside('clientDataJSON', base64url(data, 'utf8'))),
  ...BINARY.flatMap((field) => NO_DATA.map((data) => inside(field, base64url(data, 'hex')))),
]

test('whatever is sent in place of a passkey or a code is refused, and breaks nothing', async () => {
  const t = await testApp()
  const session = asAdminOf(t)
  const { key } = await addPasskey(session)
  const statuses = new Set<number>()
  for (const [index, bend] of BENDS.entries()) {
    const from = `203.0.113.${index}`
    const { id: signInId, passkey } = await begin(t, { remoteAddress: from })
    const bent = bend(key.get(passkey))
    const bodies = [
      { signInId, passkey: bent },
      { signInId: bent, totp: '123456' },
      { signInId, recoveryCode: bent },
      { signInId, totp: bent },
    ]
    // Where a text belongs, one object with a passkey's fields is as wrong as another.
    for (const body of index <= WRONG.length ? bodies : bodies.slice(0, 1)) {
      const { statusCode } = await second(t, body, from)
      // A field that nobody reads makes no difference.
      if (statusCode !== 200) statuses.add(statusCode)
    }
    const options = await send(session, 'POST', '/api/admin/account/passkeys/options')
    const other = new SoftwareAuthenticator({ origin: CONSOLE })
    const body = { name: 'Key', response: bend(other.create(options.json())) }
    const added = await send(session, 'POST', '/api/admin/account/passkeys', body)
    if (added.statusCode === 201)
      await send(session, 'DELETE', `/api/admin/account/factors/${added.json().factor.id}`)
    else statuses.add(added.statusCode)
  }
  expect([...statuses].toSorted()).toEqual([400, 401])
  const huge = await second(t, { signInId: 'x'.repeat(17_000), totp: '123456' })
  expect(huge.statusCode).toBe(413)
})
