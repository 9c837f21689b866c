import { expect, test } from 'vitest'
import type { AdminChangeOptions } from '../../src/store/admin-store.ts'
import { onEachDatabase } from './engines.ts'
import { ada, bob, entryOf, refuse, subjectsOf } from './rows.ts'

const silently = { atMs: 2_000, toEntries: () => [] }
const anyway = { ...silently, mayLeaveNoAdmin: true }

onEachDatabase('the admins', (t) => {
  test('an admin is found by the e-mail in any case', async () => {
    const { admins } = t.stores
    const row = await admins.insert(ada)
    expect(row).toEqual({
      ...ada,
      ...{ id: row.id, disabledAtMs: null, role: 'admin', lastSignInAtMs: null },
    })
    expect(await admins.findByEmail('ada@example.COM')).toEqual(row)
    expect(await admins.findByEmail('bob@example.com')).toBeUndefined()
    expect(await admins.findByEmail('ada@example.com\0')).toBeUndefined()
    expect(await admins.find(row.id)).toEqual(row)
    expect(await admins.find(99)).toBeUndefined()
  })

  // Only ASCII has two cases, whatever the locale of the database is.
  test('letters outside of ASCII are found as they were stored', async () => {
    const { admins } = t.stores
    const row = await admins.insert({ ...ada, email: 'ÄDA@example.com' })
    expect(await admins.findByEmail('ÄDA@Example.com')).toEqual(row)
    expect(await admins.findByEmail('äda@example.com')).toBeUndefined()
  })

  test('the look-up of an e-mail uses its index', async () => {
    const plan =
      t.name === 'sqlite'
        ? await t.sql("explain query plan select * from admins where lower(email) = lower('a')")
        : await t.sql(
            `set enable_seqscan to off; explain select * from admins where lower(email) = lower('a' collate "C")`,
          )
    expect(JSON.stringify(plan)).toContain('admins_email_unique')
  })

  test('an e-mail is taken whatever its case, and nothing changes', async () => {
    const { admins } = t.stores
    await admins.insert(ada, entryOf('ada'))
    const again = admins.insert({ ...ada, email: 'ADA@example.com' }, entryOf('again'))
    await expect(again).rejects.toMatchObject({
      ...{ code: 'ADMIN_EXISTS', statusCode: 409 },
      message: expect.stringContaining('"ADA@example.com"'),
    })
    expect(await admins.count()).toBe(1)
    expect(await subjectsOf(t)).toEqual(['ada'])
  })

  test('admins are listed in the order they came', async () => {
    const { admins } = t.stores
    expect([await admins.count(), await admins.list()]).toEqual([0, []])
    const { id } = await admins.insert(ada)
    await admins.insert({ ...bob, role: 'viewer' })
    await admins.rehash(id, ada.passwordHash, 'hashed again')
    expect(await admins.list()).toMatchObject([
      { ...ada, passwordHash: 'hashed again' },
      { ...bob, role: 'viewer' },
    ])
    expect(await admins.count()).toBe(2)
  })

  test('a password, a role and the right to sign in change for the one admin', async () => {
    const { admins } = t.stores
    const { id } = await admins.insert(ada)
    const other = await admins.insert(bob)
    const changes = { passwordHash: 'new', role: 'viewer', disabledAtMs: 2_000 } as const
    expect(await admins.change(id, changes, silently)).toMatchObject({ after: { id, ...changes } })
    expect(await admins.find(id)).toMatchObject(changes)
    expect(await admins.findByEmail('bob@example.com')).toEqual(other)
    expect(await admins.change(99, changes, silently)).toBeUndefined()
    await admins.change(id, { disabledAtMs: null }, silently)
    expect(await admins.find(id)).toMatchObject({ ...changes, disabledAtMs: null })
  })

  test('a change ends the sessions but one, and returns what it was', async () => {
    const { admins, adminSessions } = t.stores
    const before = await admins.insert(ada)
    await admins.insert(bob)
    const { id: adminId } = before
    for (const jti of ['a', 'b', 'c'])
      await adminSessions.insert({ jti, adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 })
    const current = { ...before, lastSignInAtMs: 1_000 }
    const after = { ...current, role: 'viewer' as const }
    const options: AdminChangeOptions = {
      ...{ atMs: 2_000, keepSession: { jti: 'b', address: '' } },
      toEntries: ({ before, after }) => [entryOf(before.role), entryOf(after.role)],
    }
    const changed = await admins.change(adminId, { role: 'viewer' }, options)
    expect(changed).toEqual({ before: current, after, removedFactors: [], endedSessions: 2 })
    expect(await admins.find(adminId)).toEqual(after)
    const ends = await Promise.all(['a', 'b', 'c'].map((jti) => adminSessions.findByJti(jti)))
    expect(ends.map((row) => row?.revokedAtMs)).toEqual([2_000, null, 2_000])
    expect(await subjectsOf(t)).toEqual(['admin', 'viewer'])
  })

  test('when nothing differs, nothing is written and no session ends', async () => {
    const { admins, adminSessions } = t.stores
    const { id: adminId } = await admins.insert(ada)
    await adminSessions.insert({ jti: 'a', adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 })
    for (const changes of [{ role: 'admin' }, {}, { withoutSecondFactor: true }] as const) {
      const options = { ...silently, toEntries: () => [entryOf('changed')] }
      const unchanged = await admins.change(adminId, changes, options)
      expect(unchanged).toMatchObject({ removedFactors: [], endedSessions: 0 })
    }
    expect((await adminSessions.findByJti('a'))?.revokedAtMs).toBeNull()
    expect(await subjectsOf(t)).toEqual([])
  })

  test('a change that must not be made, or cannot be recorded, leaves everything as it was', async () => {
    const { admins, adminSessions } = t.stores
    const { id: adminId } = await admins.insert(ada)
    await admins.insert(bob)
    await adminSessions.insert({ jti: 'a', adminId, issuedAtMs: 1_000, expiresAtMs: 5_000 })
    const before = await admins.find(adminId)
    const seen: unknown[] = []
    const require = (row: unknown) => {
      seen.push(row)
      refuse()
    }
    const changes = { passwordHash: 'new' }
    for (const options of [{ require }, { toEntries: refuse }])
      await expect(admins.change(adminId, changes, { ...silently, ...options })).rejects.toThrow(
        'no entry',
      )
    expect(seen).toEqual([before])
    expect(await admins.find(adminId)).toEqual(before)
    expect((await adminSessions.findByJti('a'))?.revokedAtMs).toBeNull()
    expect(await subjectsOf(t)).toEqual([])
  })

  test('the last admin who can sign in stays one, and nothing of the change is kept', async () => {
    const { admins } = t.stores
    const { id } = await admins.insert(ada)
    await admins.insert({ ...bob, role: 'operator' })
    for (const changes of [{ role: 'operator' }, { disabledAtMs: 2_000 }] as const)
      await expect(
        admins.change(id, { passwordHash: 'new', ...changes }, silently),
      ).rejects.toMatchObject({ code: 'LAST_ADMIN', statusCode: 409 })
    expect(await admins.find(id)).toMatchObject({ ...ada, role: 'admin', disabledAtMs: null })
    expect(await admins.change(id, { role: 'viewer' }, anyway)).toBeDefined()
  })

  test('of two nodes that each take the role from another admin, one leaves the last one', async () => {
    const { stores } = t
    const other = await t.beside()
    for (let round = 0; round < 5; round += 1) {
      const one = await stores.admins.insert({ ...ada, email: `one${round}@example.com` })
      const two = await stores.admins.insert({ ...ada, email: `two${round}@example.com` })
      const results = await Promise.allSettled([
        stores.admins.change(one.id, { role: 'viewer' }, silently),
        other.admins.change(two.id, { role: 'viewer' }, silently),
      ])
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const left = (await stores.admins.list()).filter(({ role }) => role === 'admin')
      expect(left).toHaveLength(1)
      await stores.admins.change(left[0]?.id ?? 0, { role: 'viewer' }, anyway)
    }
  })

  test('of two nodes that store one e-mail, one does, and no change is lost', async () => {
    const { stores } = t
    const other = await t.beside()
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? stores : other).admins.insert(ada, entryOf(`${i}`)),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'ADMIN_EXISTS' })
    expect(await subjectsOf(t)).toHaveLength(1)
    const { id } = (await stores.admins.list())[0] ?? { id: 0 }
    await stores.admins.insert(bob)
    await Promise.all([
      stores.admins.change(id, { passwordHash: 'new' }, silently),
      other.admins.change(id, { role: 'viewer' }, silently),
      other.admins.rehash(id, 'an older one', 'hashed again'),
    ])
    expect(await other.admins.find(id)).toMatchObject({ passwordHash: 'new', role: 'viewer' })
  })

  test('a hash of another cost does not replace a password that was changed in between', async () => {
    const { admins } = t.stores
    const { id } = await admins.insert(ada)
    await admins.rehash(id, ada.passwordHash, 'hashed again')
    expect(await admins.find(id)).toMatchObject({ passwordHash: 'hashed again' })
    await admins.change(id, { passwordHash: 'new' }, silently)
    await admins.rehash(id, 'hashed again', 'old, hashed again')
    expect(await admins.find(id)).toMatchObject({ passwordHash: 'new' })
  })

  test('all second factors go with one change, and their kinds are returned', async () => {
    const { admins, adminSessions, secondFactors } = t.stores
    const { id: adminId } = await admins.insert(ada)
    await admins.insert(bob)
    const enrolment = {
      ...{ atMs: 1_000, codeHashes: ['a'], session: { jti: 'one', address: '' } },
      toEntry: () => entryOf('factor'),
    }
    const totp = { adminId, name: 'Phone', createdAtMs: 1_000 }
    const seal = () => ({ keyId: 'key', secretSealed: 'sealed' })
    const { id } = await secondFactors.insertTotp(totp, seal, entryOf('totp'))
    const passkey = { adminId, name: 'Key', credentialId: 'c', publicKey: 'k', counter: 0 }
    await secondFactors.insertPasskey({ ...passkey, transports: [], rpId: 'localhost' }, enrolment)
    await secondFactors.confirmTotp(id, 1, enrolment)
    await secondFactors.insertTotp(totp, seal, entryOf('one that never counted'))
    await adminSessions.insert({
      ...{ jti: 'a', adminId, issuedAtMs: 1_000, expiresAtMs: 5_000, factor: 'passkey' },
    })
    const changed = await admins.change(adminId, { withoutSecondFactor: true }, silently)
    expect(changed).toMatchObject({ removedFactors: ['totp', 'passkey'], endedSessions: 1 })
    expect(await secondFactors.list(adminId)).toEqual([])
    expect(await secondFactors.listSealed()).toEqual([])
    expect(await secondFactors.codesLeft(adminId)).toBe(0)
  })
})
