import { expect, test } from 'vitest'
import type { NewAdminSessionRow } from '../../src/store/admin-session-store.ts'
import { onEachDatabase } from './engines.ts'
import { ada, bob, entryOf, subjectsOf } from './rows.ts'

const silently = { atMs: 2_000, toEntries: () => [] }

const session = (jti: string, rest: Partial<NewAdminSessionRow> = {}): NewAdminSessionRow => ({
  ...{ jti, adminId: 1, issuedAtMs: 1_000, expiresAtMs: 5_000 },
  ...rest,
})

onEachDatabase('the sessions of admins', (t) => {
  /** Stores with the admins 1 and 2. */
  async function withAdmins() {
    const { admins, adminSessions: sessions } = t.stores
    await admins.insert(ada)
    await admins.insert(bob)
    return { admins, sessions }
  }
  const ends = (...ids: string[]) =>
    Promise.all(ids.map(async (jti) => (await t.stores.adminSessions.findByJti(jti))?.revokedAtMs))

  test('a session names its admin and everything that can end it', async () => {
    const { admins, sessions } = await withAdmins()
    await sessions.insert(session('a'))
    const begun = {
      ...{
        ...session('a'),
        ...{ email: ada.email, role: 'admin', revokedAtMs: null, disabledAtMs: null },
      },
      ...{ lastUsedAtMs: 1_000, confirmedAtMs: 1_000, hasSecondFactor: false, factor: 'password' },
    }
    expect(await sessions.findByJti('a')).toEqual(begun)
    expect(await sessions.findByJti('b')).toBeUndefined()
    expect(await sessions.findByJti('a\0')).toBeUndefined()
    expect(await admins.find(1)).toMatchObject({ lastSignInAtMs: 1_000 })

    expect(await sessions.revoke('a', 2_000)).toBe(true)
    expect(await sessions.revoke('a', 3_000)).toBe(false)
    await admins.change(1, { disabledAtMs: 4_000 }, silently)
    const ended = { ...begun, revokedAtMs: 2_000, disabledAtMs: 4_000 }
    expect(await sessions.findByJti('a')).toEqual(ended)
  })

  test('a use and a shown factor are remembered', async () => {
    const { sessions } = await withAdmins()
    for (const jti of ['a', 'b']) await sessions.insert(session(jti))
    await sessions.noteUse('a', 2_000)
    await sessions.noteUse('none', 2_000)
    expect(await sessions.findByJti('a')).toMatchObject({ lastUsedAtMs: 2_000 })
    const shown = { confirmedAtMs: 3_000, factor: 'totp' } as const
    await sessions.confirm('a', shown, entryOf('shown'))
    expect(await sessions.findByJti('a')).toMatchObject(shown)
    expect(await sessions.findByJti('b')).toMatchObject({ lastUsedAtMs: 1_000, factor: 'password' })
  })

  test('valid sessions are listed, the one that was used last first', async () => {
    const { sessions } = await withAdmins()
    const begin = (jti: string, issuedAtMs: number, rest: Partial<NewAdminSessionRow> = {}) =>
      sessions.insert({
        ...session(jti, { issuedAtMs, expiresAtMs: 9_000, device: 'Firefox', address: '::1' }),
        ...rest,
      })
    await begin('ended', 1_000)
    await begin('expired', 1_000, { expiresAtMs: 5_000 })
    await begin('idle', 1_000)
    await begin('a', 2_100)
    await begin('b', 2_200)
    await begin('c', 2_300, { adminId: 2 })
    for (const jti of ['a', 'b']) await sessions.noteUse(jti, 4_000)
    await sessions.revoke('ended', 2_000)
    const valid = { nowMs: 5_000, idleMs: 4_000 }
    const all = await sessions.listValid(valid)
    expect(all.map(({ jti }) => jti)).toEqual(['b', 'a', 'c'])
    expect(all[1]).toEqual({
      ...{ jti: 'a', adminId: 1, issuedAtMs: 2_100, expiresAtMs: 9_000, revokedAtMs: null },
      ...{ lastUsedAtMs: 4_000, device: 'Firefox', address: '::1', confirmedAtMs: 2_100 },
      factor: 'password',
    })
    expect((await sessions.listValid(valid, 2)).map(({ jti }) => jti)).toEqual(['c'])
    expect(await sessions.listValid(valid, 99)).toEqual([])
  })

  test('the last session that began before a time says when it expires', async () => {
    const { sessions } = await withAdmins()
    expect(await sessions.lastExpiry(9_000, 0)).toBeUndefined()
    for (const [index, jti] of ['a', 'b', 'c'].entries())
      await sessions.insert({
        ...session(jti, { issuedAtMs: (index + 1) * 1_000, expiresAtMs: (index + 5) * 1_000 }),
      })
    expect(await sessions.lastExpiry(2_000, 0)).toBe(6_000)
    expect(await sessions.lastExpiry(2_000, 6_000)).toBeUndefined()
    await sessions.revoke('b', 2_500)
    expect(await sessions.lastExpiry(2_000, 0)).toBe(5_000)
  })

  test('signing out everywhere ends the open sessions of one admin', async () => {
    const { sessions } = await withAdmins()
    for (const jti of ['a', 'b']) await sessions.insert(session(jti))
    await sessions.insert(session('c', { adminId: 2 }))
    await sessions.revoke('a', 1_500, entryOf('a'))
    await sessions.revoke('a', 1_500, entryOf('a again'))
    expect(await sessions.revokeAll(1, 2_000, entryOf('all'))).toBe(1)
    expect(await ends('a', 'b', 'c')).toEqual([1_500, 2_000, null])
    expect(await sessions.revokeAll(99, 2_000)).toBe(0)
    expect(await subjectsOf(t)).toEqual(['a', 'all'])
  })

  test('no session begins with a password that was changed while it was checked', async () => {
    const { admins, sessions } = await withAdmins()
    await admins.change(1, { passwordHash: 'new' }, silently)
    const { passwordHash } = ada
    const beginning = { passwordHash, entry: entryOf('a'), knownAddress: '::1' }
    expect(await sessions.insert(session('a'), beginning)).toBe(false)
    expect(await sessions.findByJti('a')).toBeUndefined()
    expect(await sessions.insert(session('a'), { ...beginning, passwordHash: 'new' })).toBe(true)
    await admins.change(1, { disabledAtMs: 2_000 }, silently)
    expect(await sessions.insert(session('b'), { passwordHash: 'new' })).toBe(false)
    expect(await sessions.insert(session('b', { adminId: 99 }))).toBe(false)
    expect(await subjectsOf(t)).toEqual(['a'])
  })

  test('an address is known for a time after a sign-in, until all sessions end', async () => {
    const { admins, sessions } = await withAdmins()
    const begin = (jti: string, knownAddress: string, issuedAtMs: number) =>
      sessions.insert(session(jti, { issuedAtMs, expiresAtMs: 99_000 }), { knownAddress })
    const known = () =>
      Promise.all(
        ['192.0.2.1', '192.0.2.2', '::1'].map((at) => sessions.isKnownAddress(1, at, 1_000)),
      )
    await begin('a', '192.0.2.1', 1_000)
    await begin('b', '192.0.2.2', 2_000)
    // The second one has the token id of the first.
    await expect(begin('b', '::1', 2_000)).rejects.toThrow()
    expect(await known()).toEqual([false, true, false])
    await begin('c', '192.0.2.1', 3_000)
    expect(await known()).toEqual([true, true, false])
    expect(await sessions.isKnownAddress(99, '192.0.2.1', 1_000)).toBe(false)
    await sessions.forgetAddresses(3_000)
    expect(await known()).toEqual([true, false, false])
    await begin('d', '192.0.2.2', 3_500)
    const keepSession = { jti: 'c', address: '192.0.2.1' }
    await admins.change(1, { passwordHash: 'new' }, { ...silently, keepSession })
    expect(await known()).toEqual([true, false, false])
    await sessions.revokeAll(1, 4_000)
    expect(await known()).toEqual([false, false, false])
  })

  test('at two nodes at once, a session begins or the change ends it', async () => {
    const { sessions } = await withAdmins()
    const other = await t.beside()
    let { passwordHash } = ada
    for (let round = 0; round < 10; round += 1) {
      const next = `hash ${round}`
      const [began] = await Promise.all([
        sessions.insert(session(`${round}`), { passwordHash, knownAddress: '::1' }),
        other.admins.change(1, { passwordHash: next }, silently),
      ])
      expect([began, ...(await ends(`${round}`))]).toEqual(
        began ? [true, 2_000] : [false, undefined],
      )
      passwordHash = next
    }
  })

  test('two nodes that end, use and remove sessions at once do not get in each other’s way', async () => {
    const { sessions } = await withAdmins()
    const { adminSessions: others } = await t.beside()
    const all = Array.from({ length: 30 }, (_, i) => `${i}`)
    for (const jti of all)
      await sessions.insert(session(jti, { issuedAtMs: 0, expiresAtMs: 1_000 }), {
        knownAddress: `192.0.2.${jti}`,
      })
    const [ended, atOne, atOther] = await Promise.all([
      sessions.revokeAll(1, 2_000),
      sessions.removeExpired(2_000, 20),
      others.removeExpired(2_000, 20),
      others.forgetAddresses(1_000),
      sessions.forgetAddresses(1_000),
      ...all.map((jti) => others.noteUse(jti, 500)),
    ])
    expect(ended).toBeLessThanOrEqual(30)
    expect(atOne + atOther + (await sessions.removeExpired(2_000, 99))).toBe(30)
    expect(await sessions.findByJti('0')).toBeUndefined()
  })
})
