import { join } from 'node:path'
import Database from 'better-sqlite3'
import { catalogue } from 'schema'
import { expect, test } from 'vitest'
import { ADMIN, testApp } from './app.ts'
import { sampleCall } from './support/sample-call.ts'
import {
  addPasskey,
  addTotp,
  asAdminOf,
  auditOf,
  login,
  second,
  send,
  sessionOf,
} from './support/second-factors.ts'
import { setDates } from './support/set-dates.ts'
import { tempFolder } from './support/temp-folder.ts'
import { STEP_MS, totpCode } from './support/totp-app.ts'

// A code is for half a minute: tests set the time.
const pass = setDates(Date.parse('2026-03-05T14:30:00.000Z'))

test('an app is added with its first code, and signing in asks for one from then on', async () => {
  const t = await testApp()
  const { secret, factor, recoveryCodes } = await addTotp(asAdminOf(t))
  expect(factor).toMatchObject({ kind: 'totp', name: 'Phone', lastUsedAt: null })
  expect(recoveryCodes).toHaveLength(10)

  pass(STEP_MS)
  const first = await login(t)
  expect(first.statusCode).toBe(401)
  expect(first.json()).toEqual({
    ...{ statusCode: 401, error: 'Unauthorized', code: 'SECOND_FACTOR_NEEDED' },
    ...{ message: expect.any(String), requestId: first.headers['x-request-id'] },
    signIn: {
      id: expect.stringMatching(/^[\w-]{36}$/),
      ...{ expiresAt: '2026-03-05T14:35:30.000Z', factors: ['totp', 'recovery-code'] },
    },
  })
  const response = await second(t, { signInId: first.json().signIn.id, totp: totpCode(secret) })
  expect(response.statusCode, response.body).toBe(200)
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.json()).toEqual({
    ...{ token: expect.any(String), expiresAt: '2026-03-05T22:30:30.000Z' },
    user: { id: 1, email: ADMIN.email, role: 'admin' },
  })
  const [entry] = await auditOf(sessionOf(t, response.json().token), 'sign-in.succeeded')
  expect(entry).toMatchObject({ actor: ADMIN.email, after: { factor: 'totp' } })
})

test('a passkey is added, and signs in', async () => {
  const t = await testApp()
  const { key, factor, recoveryCodes } = await addPasskey(asAdminOf(t))
  expect(factor).toMatchObject({ kind: 'passkey', name: 'Key' })
  expect(recoveryCodes).toHaveLength(10)
  const { signIn } = (await login(t)).json()
  expect(signIn).toMatchObject({
    factors: ['passkey', 'recovery-code'],
    passkey: {
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'localhost',
      allowCredentials: [{ id: key.credentialId, type: 'public-key', transports: ['usb'] }],
    },
  })
  const response = await second(t, { signInId: signIn.id, passkey: key.get(signIn.passkey) })
  expect(response.statusCode, response.body).toBe(200)
  const session = sessionOf(t, response.json().token)
  const [entry] = await auditOf(session, 'sign-in.succeeded')
  expect(entry).toMatchObject({ after: { factor: 'passkey' } })
})

test('a recovery code signs in once, in whatever case it is typed', async () => {
  const t = await testApp()
  const { recoveryCodes } = await addTotp(asAdminOf(t))
  const [code] = recoveryCodes
  const attempt = async (recoveryCode: string) =>
    second(t, { signInId: (await login(t)).json().signIn.id, recoveryCode })
  const used = await attempt(code.toUpperCase())
  expect(used.statusCode, used.body).toBe(200)
  expect((await attempt(code)).json()).toMatchObject({ code: 'SECOND_FACTOR_FAILED', triesLeft: 4 })
  const session = sessionOf(t, used.json().token)
  const replaced = await send(session, 'POST', '/api/admin/account/recovery-codes')
  expect(replaced.statusCode).toBe(201)
  const [entry] = await auditOf(session, 'recovery-codes')
  expect(entry).toMatchObject({ action: 'recovery-codes.replaced', after: { count: 10 } })
  // The older ones have ended.
  expect((await attempt(recoveryCodes[1])).statusCode).toBe(401)
  expect((await attempt(replaced.json().recoveryCodes[0])).statusCode).toBe(200)
})

test('an app whose secret cannot be opened does not stand in the way of another', async () => {
  const file = join(tempFolder(), 'sluice.db')
  const t = await testApp({ env: { DATABASE_URL: `file:${file}` } })
  const broken = await addTotp(asAdminOf(t))
  const { secret } = await addTotp(asAdminOf(t))
  const db = new Database(file)
  db.exec(`update second_factors set secret_sealed =
    (select secret_sealed from second_factors order by id desc limit 1) where id = ${broken.id}`)
  db.close()
  pass(STEP_MS)
  const attempt = async (totp: string) =>
    second(t, { signInId: (await login(t)).json().signIn.id, totp })
  // It may have been the code of that app.
  const unknown = await attempt(totpCode(broken.secret))
  expect([unknown.statusCode, unknown.json().code]).toEqual([503, 'UNREADABLE_SECRET'])
  expect((await attempt(totpCode(secret))).statusCode).toBe(200)
})

test('with the first factor the other sessions end, and the one that adds it stays', async () => {
  const t = await testApp()
  const other = sessionOf(t, (await login(t)).json().token)
  const { endedSessions } = await addTotp(asAdminOf(t))
  expect(endedSessions).toBe(1)
  expect((await send(other, 'GET', '/api/stats')).json().code).toBe('TOKEN_REVOKED')
  expect((await send(asAdminOf(t), 'GET', '/api/stats')).statusCode).toBe(200)
  const { recoveryCodes, endedSessions: more } = await addPasskey(asAdminOf(t))
  expect([recoveryCodes, more]).toEqual([null, 0])
})

test('who has a second factor confirms with it, and not with the password', async () => {
  const t = await testApp()
  const session = asAdminOf(t)
  const { secret } = await addTotp(session)
  const { key } = await addPasskey(session)
  pass(6 * 60_000)
  const create = () =>
    send(session, 'POST', '/api/admin/client-credentials', { clientId: `bot-${Date.now()}` })
  expect((await create()).json()).toMatchObject({
    code: 'FRESH_FACTOR_NEEDED',
    factors: ['passkey', 'totp', 'recovery-code'],
  })
  const confirm = (payload: object) => send(session, 'POST', '/auth/confirm', payload)
  expect((await confirm({ password: ADMIN.password })).json().code).toBe('CONFIRM_FAILED')
  expect((await create()).statusCode).toBe(403)
  const confirmed = await confirm({ totp: totpCode(secret) })
  expect(confirmed.json()).toMatchObject({ factor: 'totp' })
  expect((await create()).statusCode).toBe(201)

  pass(6 * 60_000)
  const options = (await send(session, 'POST', '/auth/confirm/passkey')).json()
  const passkey = key.get(options)
  expect((await confirm({ passkey })).json()).toMatchObject({ factor: 'passkey' })
  expect((await create()).statusCode).toBe(201)
  // What was signed once is worth nothing.
  expect((await confirm({ passkey })).json().code).toBe('CONFIRM_FAILED')
  const entries = await auditOf(session, 'confirm')
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    ...['confirm.failed', 'confirm.succeeded', 'confirm.succeeded'],
    ...['confirm.needed', 'confirm.failed', 'confirm.needed'],
  ])
})

test('a factor gets another name and is removed; without the last one the password is enough', async () => {
  const t = await testApp()
  const session = asAdminOf(t)
  const { id } = await addTotp(session)
  const { factor } = await addPasskey(session)
  const url = (factorId: number) => `/api/admin/account/factors/${factorId}`
  const renamed = await send(session, 'PATCH', url(id), { name: 'Old phone' })
  expect(renamed.json()).toMatchObject({ id, name: 'Old phone' })
  expect((await send(session, 'DELETE', url(factor.id))).statusCode).toBe(204)
  expect((await login(t)).json().signIn.factors).toEqual(['totp', 'recovery-code'])
  expect((await send(session, 'DELETE', url(id))).statusCode).toBe(204)
  expect((await login(t)).statusCode).toBe(200)
  expect((await send(session, 'POST', '/api/admin/account/recovery-codes')).json().code).toBe(
    'NO_SECOND_FACTOR',
  )
  const entries = await auditOf(session, 'second-factor')
  expect(entries).toMatchObject([
    { action: 'second-factor.removed', before: { kind: 'totp' }, after: { isLast: true } },
    { action: 'second-factor.removed', before: { kind: 'passkey' }, after: { isLast: false } },
    { action: 'second-factor.renamed', before: { name: 'Phone' }, after: { name: 'Old phone' } },
    { action: 'second-factor.added', after: { kind: 'passkey', rpId: 'localhost' } },
    { action: 'second-factor.added', after: { kind: 'totp', isFirst: true } },
    { action: 'second-factor.begun', after: { kind: 'totp', name: 'Phone' } },
  ])
})

test('with REQUIRE_SECOND_FACTOR, who has none may only see the own account and add one', async () => {
  const t = await testApp({ env: { REQUIRE_SECOND_FACTOR: 'true' } })
  const session = asAdminOf(t)
  const refused = async () => {
    const statuses = new Map<string, string>()
    for (const endpoint of catalogue.filter(({ access }) => access === 'admin')) {
      const response = await t.app.inject({
        ...{ ...sampleCall(endpoint), headers: session.headers },
        // Rubbish: nobody signs out, and nothing is stopped.
        ...(endpoint.method === 'GET' ? {} : { payload: 'rubbish' }),
      })
      statuses.set(endpoint.id, response.body.match(/"code":"(\w+)"/)?.[1] ?? 'none')
    }
    return [...statuses].flatMap(([id, code]) => (code === 'SECOND_FACTOR_REQUIRED' ? [id] : []))
  }
  const others = catalogue.filter(({ access, isOwnAccount }) => access === 'admin' && !isOwnAccount)
  expect(await refused()).toEqual(others.map(({ id }) => id))
  const fresh = sessionOf(t, (await login(t)).json().token)
  await addTotp(fresh)
  expect((await send(fresh, 'GET', '/api/stats')).statusCode).toBe(200)
})
