import { describe, expect, test } from 'vitest'
import { engines } from './engines.ts'
import { ada, bob, entryOf, subjectsOf, unwritable } from './people.ts'

const silently = { atMs: 2_000, toEntries: () => [] }

describe.each(engines)('the sessions of admins in $name', ({ open }) => {
  test('a session names its admin and everything that can end it', async () => {
    const { admins, adminSessions: sessions } = (await open()).stores
    const { id: adminId } = await admins.insert(ada)
    const session = { jti: 'a', adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 }
    await sessions.insert(session)
    const begun = {
      ...{ ...session, email: ada.email, role: 'admin', revokedAtMs: null, disabledAtMs: null },
      ...{ lastUsedAtMs: 1_000, confirmedAtMs: 1_000, hasSecondFactor: false, factor: 'password' },
    }
    expect(await sessions.findByJti('a')).toEqual(begun)
    expect(await sessions.findByJti('b')).toBeUndefined()
    expect(await sessions.findByJti('a\0')).toBeUndefined()
    expect(await admins.find(adminId)).toMatchObject({ lastSignInAtMs: 1_000 })

    expect(await sessions.revoke('a', 2_000)).toBe(true)
    expect(await sessions.revoke('a', 3_000)).toBe(false)
    await admins.insert(bob)
    await admins.change(adminId, { disabledAtMs: 4_000 }, silently)
    expect(await sessions.findByJti('a')).toEqual({
      ...begun,
      ...{ revokedAtMs: 2_000, disabledAtMs: 4_000 },
    })
  })

  test('a use and a shown factor are remembered', async () => {
    const { stores, sql } = await open()
    const { id: adminId } = await stores.admins.insert(ada)
    const { adminSessions: sessions } = stores
    for (const jti of ['a', 'b'])
      await sessions.insert({ jti, adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 })
    await sessions.noteUse('a', 2_000)
    await sessions.noteUse('none', 2_000)
    expect(await sessions.findByJti('a')).toMatchObject({ lastUsedAtMs: 2_000 })
    const shown = { confirmedAtMs: 3_000, factor: 'totp' } as const
    await expect(sessions.confirm('a', shown, unwritable)).rejects.toThrow('no entry')
    expect(await sessions.findByJti('a')).toMatchObject({ confirmedAtMs: 1_000 })
    await sessions.confirm('a', shown, entryOf('shown'))
    expect(await sessions.findByJti('a')).toMatchObject(shown)
    expect(await sessions.findByJti('b')).toMatchObject({ lastUsedAtMs: 1_000, factor: 'password' })
    expect(await subjectsOf({ sql })).toEqual(['shown'])
  })

  test('valid sessions are listed, the one that was used last first', async () => {
    const { admins, adminSessions: sessions } = (await open()).stores
    const one = await admins.insert(ada)
    const two = await admins.insert(bob)
    const begin = (jti: string, adminId: number, issuedAtMs: number, expiresAtMs = 9_000) =>
      sessions.insert({ jti, adminId, issuedAtMs, expiresAtMs, device: 'Firefox', address: '::1' })
    await begin('ended', one.id, 1_000)
    await begin('expired', one.id, 1_000, 5_000)
    await begin('idle', one.id, 1_000)
    await begin('a', one.id, 2_100)
    await begin('b', one.id, 2_200)
    await begin('c', two.id, 2_300)
    await sessions.noteUse('a', 4_000)
    await sessions.noteUse('b', 4_000)
    await sessions.revoke('ended', 2_000)
    const valid = { nowMs: 5_000, idleMs: 4_000 }
    const all = await sessions.listValid(valid)
    expect(all.map(({ jti }) => jti)).toEqual(['b', 'a', 'c'])
    expect(all[1]).toEqual({
      ...{ jti: 'a', adminId: one.id, issuedAtMs: 2_100, expiresAtMs: 9_000, revokedAtMs: null },
      ...{ lastUsedAtMs: 4_000, device: 'Firefox', address: '::1', confirmedAtMs: 2_100 },
      factor: 'password',
    })
    expect((await sessions.listValid(valid, two.id)).map(({ jti }) => jti)).toEqual(['c'])
    expect(await sessions.listValid(valid, 99)).toEqual([])
  })

  test('the last session that began before a time says when it expires', async () => {
    const { admins, adminSessions: sessions } = (await open()).stores
    const { id: adminId } = await admins.insert(ada)
    expect(await sessions.lastExpiry(9_000, 0)).toBeUndefined()
    for (const [jti, issuedAtMs, expiresAtMs] of [
      ['a', 1_000, 5_000],
      ['b', 2_000, 6_000],
      ['c', 3_000, 7_000],
    ] as const)
      await sessions.insert({ jti, adminId, issuedAtMs, expiresAtMs })
    expect(await sessions.lastExpiry(2_000, 0)).toBe(6_000)
    expect(await sessions.lastExpiry(2_000, 6_000)).toBeUndefined()
    await sessions.revoke('b', 2_500)
    expect(await sessions.lastExpiry(2_000, 0)).toBe(5_000)
  })

  test('signing out everywhere ends the open sessions of one admin', async () => {
    const { stores, sql } = await open()
    const { admins, adminSessions: sessions } = stores
    const one = await admins.insert(ada)
    const two = await admins.insert(bob)
    const times = { issuedAtMs: 1_000, expiresAtMs: 5_000 }
    await sessions.insert({ jti: 'a', adminId: one.id, ...times })
    await sessions.insert({ jti: 'b', adminId: one.id, ...times })
    await sessions.insert({ jti: 'c', adminId: two.id, ...times })
    const ends = async () =>
      (await Promise.all(['a', 'b', 'c'].map((jti) => sessions.findByJti(jti)))).map(
        (row) => row?.revokedAtMs,
      )
    await sessions.revoke('a', 1_500, entryOf('a'))
    await sessions.revoke('a', 1_500, entryOf('a again'))
    await expect(sessions.revoke('b', 1_500, unwritable)).rejects.toThrow('no entry')
    await expect(sessions.revokeAll(one.id, 1_500, unwritable)).rejects.toThrow('no entry')
    expect(await ends()).toEqual([1_500, null, null])
    expect(await sessions.revokeAll(one.id, 2_000, entryOf('all'))).toBe(1)
    expect(await ends()).toEqual([1_500, 2_000, null])
    expect(await sessions.revokeAll(99, 2_000)).toBe(0)
    expect(await subjectsOf({ sql })).toEqual(['a', 'all'])
  })

  test('expired sessions go in bounded steps, running ones stay', async () => {
    const { admins, adminSessions: sessions } = (await open()).stores
    const { id: adminId } = await admins.insert(ada)
    for (const expiresAtMs of [1, 2, 3, 4])
      await sessions.insert({ jti: `${expiresAtMs}`, adminId, issuedAtMs: 0, expiresAtMs })
    expect(await sessions.removeExpired(4, 2)).toBe(2)
    expect(await sessions.removeExpired(4, 2)).toBe(1)
    expect(await sessions.removeExpired(4, 2)).toBe(0)
    expect(await sessions.findByJti('4')).toBeDefined()
  })

  test('no session begins with a password that was changed while it was checked', async () => {
    const { stores, sql } = await open()
    const { admins, adminSessions: sessions } = stores
    const { id: adminId, passwordHash } = await admins.insert(ada)
    await admins.insert(bob)
    const session = { jti: 'a', adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 }
    await admins.change(adminId, { passwordHash: 'new' }, silently)
    const beginning = { passwordHash, entry: entryOf('a'), knownAddress: '::1' }
    expect(await sessions.insert(session, beginning)).toBe(false)
    expect(await sessions.findByJti('a')).toBeUndefined()
    expect(await sessions.insert(session, { ...beginning, passwordHash: 'new' })).toBe(true)
    await admins.change(adminId, { disabledAtMs: 2_000 }, silently)
    expect(await sessions.insert({ ...session, jti: 'b' }, { passwordHash: 'new' })).toBe(false)
    expect(await sessions.insert({ ...session, jti: 'b', adminId: 99 })).toBe(false)
    expect(await subjectsOf({ sql })).toEqual(['a'])
  })

  test('a session without its entry does not begin', async () => {
    const { admins, adminSessions: sessions } = (await open()).stores
    const { id: adminId } = await admins.insert(ada)
    const session = { jti: 'a', adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 }
    const beginning = { entry: unwritable, knownAddress: '::1' }
    await expect(sessions.insert(session, beginning)).rejects.toThrow('no entry')
    // The second one has the token id of the first.
    await sessions.insert(session)
    await expect(sessions.insert(session, { knownAddress: '::1' })).rejects.toThrow()
    expect(await sessions.isKnownAddress(adminId, '::1', 0)).toBe(false)
  })

  test('an address is known for a time after a sign-in, until all sessions end', async () => {
    const { admins, adminSessions: sessions } = (await open()).stores
    const { id: adminId } = await admins.insert(ada)
    const begin = (jti: string, knownAddress: string, issuedAtMs: number) =>
      sessions.insert({ jti, adminId, issuedAtMs, expiresAtMs: 99_000 }, { knownAddress })
    await begin('a', '192.0.2.1', 1_000)
    await begin('b', '192.0.2.2', 2_000)
    const known = () =>
      Promise.all(
        ['192.0.2.1', '192.0.2.2'].map((at) => sessions.isKnownAddress(adminId, at, 1_000)),
      )
    expect(await known()).toEqual([false, true])
    await begin('c', '192.0.2.1', 3_000)
    expect(await known()).toEqual([true, true])
    expect(await sessions.isKnownAddress(99, '192.0.2.1', 1_000)).toBe(false)
    await sessions.forgetAddresses(3_000)
    expect(await known()).toEqual([true, false])
    await begin('d', '192.0.2.2', 3_500)
    const keepSession = { jti: 'c', address: '192.0.2.1' }
    await admins.change(adminId, { passwordHash: 'new' }, { ...silently, keepSession })
    expect(await known()).toEqual([true, false])
    await sessions.revokeAll(adminId, 4_000)
    expect(await known()).toEqual([false, false])
  })

  test('at two nodes at once, a session begins or the change ends it', async () => {
    const { stores, beside } = await open()
    const other = await beside()
    const { id: adminId, passwordHash } = await stores.admins.insert(ada)
    await stores.admins.insert(bob)
    let hash = passwordHash
    for (let round = 0; round < 10; round += 1) {
      const jti = `${round}`
      const session = { jti, adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 }
      const next = `hash ${round}`
      const [began] = await Promise.all([
        stores.adminSessions.insert(session, { passwordHash: hash, knownAddress: '::1' }),
        other.admins.change(adminId, { passwordHash: next }, silently),
      ])
      const row = await stores.adminSessions.findByJti(jti)
      expect([began, row?.revokedAtMs]).toEqual(began ? [true, 2_000] : [false, undefined])
      hash = next
    }
  })

  test('two nodes that end, use and remove sessions at once do not get in each other’s way', async () => {
    const { stores, beside } = await open()
    const other = await beside()
    const { id: adminId } = await stores.admins.insert(ada)
    const all = Array.from({ length: 30 }, (_, i) => `${i}`)
    for (const jti of all)
      await stores.adminSessions.insert(
        { jti, adminId, issuedAtMs: 0, expiresAtMs: 1_000 },
        { knownAddress: `192.0.2.${jti}` },
      )
    const [ended, atOne, atOther] = await Promise.all([
      stores.adminSessions.revokeAll(adminId, 2_000),
      stores.adminSessions.removeExpired(2_000, 20),
      other.adminSessions.removeExpired(2_000, 20),
      other.adminSessions.forgetAddresses(1_000),
      stores.adminSessions.forgetAddresses(1_000),
      ...all.map((jti) => other.adminSessions.noteUse(jti, 500)),
    ])
    expect(ended).toBeLessThanOrEqual(30)
    const left = await stores.adminSessions.removeExpired(2_000, 99)
    expect(atOne + atOther + left).toBe(30)
    expect(await stores.adminSessions.findByJti('0')).toBeUndefined()
  })
})
