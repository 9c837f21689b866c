import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAdminSessionStore } from './admin-session-store.ts'
import { createAdminStore } from './admin-store.ts'
import { openStore, type Store } from './open.ts'

let store: Store
beforeEach(() => {
  store = openStore(':memory:')
})
afterEach(() => store.close())

const ada = { email: 'Ada@Example.com', passwordHash: 'hash', createdAtMs: 1_000 }

test('an admin is found by the e-mail in any case', async () => {
  const admins = createAdminStore(store.db)
  const row = await admins.insert(ada)
  expect(row).toEqual({
    ...ada,
    ...{ id: row.id, disabledAtMs: null, role: 'admin', lastSignInAtMs: null },
  })
  expect(await admins.findByEmail('ada@example.COM')).toEqual(row)
  expect(await admins.findByEmail('bob@example.com')).toBeUndefined()
})

test('the look-up of an e-mail uses its index', () => {
  const plan = store.db.$client
    .prepare('explain query plan select * from admins where lower(email) = lower(?)')
    .all('a')
  expect(JSON.stringify(plan)).toContain('admins_email_unique')
})

test('an e-mail is taken whatever its case, and nothing changes', async () => {
  const admins = createAdminStore(store.db)
  await admins.insert(ada)
  await expect(admins.insert({ ...ada, email: 'ADA@example.com' })).rejects.toMatchObject({
    code: 'ADMIN_EXISTS',
    statusCode: 409,
  })
  expect(await admins.count()).toBe(1)
})

test('admins are listed in the order they came', async () => {
  const admins = createAdminStore(store.db)
  expect([await admins.count(), await admins.list()]).toEqual([0, []])
  await admins.insert(ada)
  await admins.insert({ ...ada, email: 'bob@example.com' })
  expect((await admins.list()).map(({ email }) => email)).toEqual([ada.email, 'bob@example.com'])
})

const silently = { atMs: 2_000, toEntries: () => [] }

test('a password, a role and the right to sign in change for the one admin', async () => {
  const admins = createAdminStore(store.db)
  const { id } = await admins.insert(ada)
  const other = await admins.insert({ ...ada, email: 'bob@example.com' })
  const changes = { passwordHash: 'new', role: 'viewer', disabledAtMs: 2_000 } as const
  expect(await admins.change(id, changes, silently)).toMatchObject({ after: { id, ...changes } })
  expect(await admins.find(id)).toMatchObject(changes)
  expect(await admins.findByEmail('bob@example.com')).toEqual(other)
  expect(await admins.change(99, changes, silently)).toBeUndefined()
})

test('the last admin who can sign in stays one, and nothing of the change is kept', async () => {
  const admins = createAdminStore(store.db)
  const { id } = await admins.insert(ada)
  await admins.insert({ ...ada, email: 'bob@example.com', role: 'operator' })
  for (const changes of [{ role: 'operator' }, { disabledAtMs: 2_000 }] as const)
    await expect(
      admins.change(id, { passwordHash: 'new', ...changes }, silently),
    ).rejects.toMatchObject({ code: 'LAST_ADMIN', statusCode: 409 })
  expect(await admins.find(id)).toMatchObject({ ...ada, role: 'admin', disabledAtMs: null })
  const atTheMachine = { ...silently, mayLeaveNoAdmin: true }
  expect(await admins.change(id, { role: 'viewer' }, atTheMachine)).toBeDefined()
})

test('a hash of another cost does not replace a password that was changed meanwhile', async () => {
  const admins = createAdminStore(store.db)
  const { id } = await admins.insert(ada)
  await admins.change(id, { passwordHash: 'new' }, silently)
  await admins.rehash(id, ada.passwordHash, 'old, hashed again')
  expect(await admins.find(id)).toMatchObject({ passwordHash: 'new' })
})

test('a session names its admin and everything that can end it', async () => {
  const admins = createAdminStore(store.db)
  const sessions = createAdminSessionStore(store.db)
  const { id: adminId } = await admins.insert(ada)
  const session = { jti: 'a', adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 }
  await sessions.insert(session)
  const open = {
    ...{ ...session, email: ada.email, role: 'admin', revokedAtMs: null, disabledAtMs: null },
    ...{ lastUsedAtMs: 1_000, confirmedAtMs: 1_000, hasSecondFactor: false, factor: 'password' },
  }
  expect(await sessions.findByJti('a')).toEqual(open)
  expect(await sessions.findByJti('b')).toBeUndefined()

  expect(await sessions.revoke('a', 2_000)).toBe(true)
  expect(await sessions.revoke('a', 3_000)).toBe(false)
  await admins.insert({ ...ada, email: 'bob@example.com' })
  await admins.change(adminId, { disabledAtMs: 4_000 }, silently)
  expect(await sessions.findByJti('a')).toEqual({
    ...open,
    revokedAtMs: 2_000,
    disabledAtMs: 4_000,
  })
})

test('signing out everywhere ends the open sessions of one admin', async () => {
  const admins = createAdminStore(store.db)
  const sessions = createAdminSessionStore(store.db)
  const one = await admins.insert(ada)
  const two = await admins.insert({ ...ada, email: 'bob@example.com' })
  const times = { issuedAtMs: 1_000, expiresAtMs: 5_000 }
  await sessions.insert({ jti: 'a', adminId: one.id, ...times })
  await sessions.insert({ jti: 'b', adminId: one.id, ...times })
  await sessions.insert({ jti: 'c', adminId: two.id, ...times })
  await sessions.revoke('a', 1_500)
  expect(await sessions.revokeAll(one.id, 2_000)).toBe(1)
  const revoked = await Promise.all(['a', 'b', 'c'].map((jti) => sessions.findByJti(jti)))
  expect(revoked.map((row) => row?.revokedAtMs)).toEqual([1_500, 2_000, null])
})

test('expired sessions go in bounded steps, running ones stay', async () => {
  const admins = createAdminStore(store.db)
  const sessions = createAdminSessionStore(store.db)
  const { id: adminId } = await admins.insert(ada)
  for (const expiresAtMs of [1, 2, 3, 4]) {
    await sessions.insert({ jti: `${expiresAtMs}`, adminId, issuedAtMs: 0, expiresAtMs })
  }
  expect(await sessions.removeExpired(4, 2)).toBe(2)
  expect(await sessions.removeExpired(4, 2)).toBe(1)
  expect(await sessions.removeExpired(4, 2)).toBe(0)
  expect(await sessions.findByJti('4')).toBeDefined()
})

test('no session begins with a password that was changed while it was checked', async () => {
  const admins = createAdminStore(store.db)
  const sessions = createAdminSessionStore(store.db)
  const { id: adminId, passwordHash } = await admins.insert(ada)
  await admins.insert({ ...ada, email: 'bob@example.com' })
  const session = { jti: 'a', adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 }
  await admins.change(adminId, { passwordHash: 'new' }, silently)
  expect(await sessions.insert(session, { passwordHash })).toBe(false)
  expect(await sessions.findByJti('a')).toBeUndefined()
  expect(await sessions.insert(session, { passwordHash: 'new' })).toBe(true)
  await admins.change(adminId, { disabledAtMs: 2_000 }, silently)
  expect(await sessions.insert({ ...session, jti: 'b' }, { passwordHash: 'new' })).toBe(false)
})

test('an address is known for a time after a sign-in, until all sessions end', async () => {
  const admins = createAdminStore(store.db)
  const sessions = createAdminSessionStore(store.db)
  const { id: adminId } = await admins.insert(ada)
  const begin = (jti: string, knownAddress: string, issuedAtMs: number) =>
    sessions.insert({ jti, adminId, issuedAtMs, expiresAtMs: 99_000 }, { knownAddress })
  await begin('a', '192.0.2.1', 1_000)
  await begin('b', '192.0.2.2', 2_000)
  const known = () =>
    Promise.all(['192.0.2.1', '192.0.2.2'].map((at) => sessions.isKnownAddress(adminId, at, 1_000)))
  expect(await known()).toEqual([false, true])
  await begin('c', '192.0.2.1', 3_000)
  expect(await known()).toEqual([true, true])
  const keepSession = { jti: 'c', address: '192.0.2.1' }
  await admins.change(adminId, { passwordHash: 'new' }, { ...silently, keepSession })
  expect(await known()).toEqual([true, false])
  await sessions.revokeAll(adminId, 4_000)
  expect(await known()).toEqual([false, false])
})
