import { expect, test } from 'vitest'
import type { Admission } from '../../src/store/openid-store.ts'
import { onEachDatabase } from './engines.ts'
import { ada, bob, entryOf, subjectsOf } from './rows.ts'

const person = {
  ...{ issuer: 'https://id.example.com', subject: 'one', email: 'ada@example.COM' },
  ...{ isEmailVerified: true, role: 'operator' as const },
}
const silently = () => []
const tell = ({ how, roleBefore, admin }: Admission) => [
  entryOf(how),
  entryOf(`${roleBefore} ${admin.role}`),
]

onEachDatabase('people of an OpenID Connect provider', (t) => {
  test('somebody new becomes an admin without a password, and is known afterwards', async () => {
    const { openIds, admins } = t.stores
    expect(await openIds.find(person.issuer, 'one')).toBeUndefined()
    const admission = await openIds.admit(person, 1_000, tell)
    const [admin] = await admins.list()
    expect(admin).toMatchObject({ email: 'ada@example.COM', passwordHash: '', createdAtMs: 1_000 })
    expect(admission).toEqual({
      ...{ admin, how: 'created', roleBefore: 'operator', isPasswordRemoved: false },
    })
    // The provider may have another address for the person by now, or none.
    for (const email of ['another@example.com', undefined])
      expect(await openIds.admit({ ...person, email }, 2_000, silently)).toEqual({
        ...{ admin, how: 'known', roleBefore: 'operator', isPasswordRemoved: false },
      })
    expect(await openIds.find(person.issuer, 'one')).toEqual(admin)
    expect(await openIds.find(person.issuer, 'ONE')).toBeUndefined()
    expect(await openIds.find('https://other.example.com', 'one')).toBeUndefined()
    expect(await openIds.subjectOf(admin?.id ?? 0, person.issuer)).toBe('one')
    expect(await openIds.subjectOf(admin?.id ?? 0, 'https://other.example.com')).toBeUndefined()
    expect(await subjectsOf(t)).toEqual(['created', 'operator operator'])
  })

  test('a verified e-mail links the admin who has it, in any case', async () => {
    const { openIds, admins } = t.stores
    const before = await admins.insert({ ...ada, role: 'operator' })
    const admission = await openIds.admit(person, 2_000, silently)
    expect(admission).toEqual({
      ...{ admin: before, how: 'linked', roleBefore: 'operator', isPasswordRemoved: false },
    })
    expect(await openIds.find(person.issuer, 'one')).toEqual(before)
    expect(await admins.count()).toBe(1)
  })

  test('who cannot be let in is refused, and nothing is stored', async () => {
    const { openIds, admins } = t.stores
    const { id } = await admins.insert(ada)
    await admins.insert(bob)
    const admit = (changes: object) => openIds.admit({ ...person, ...changes }, 2_000, tell)
    expect(await admit({ email: undefined })).toBe('email-missing')
    expect(await admit({ isEmailVerified: false })).toBe('email-taken')
    await admins.change(id, { disabledAtMs: 1_500 }, { atMs: 1_500, toEntries: silently })
    expect(await admit({})).toBe('disabled')
    await admins.change(id, { disabledAtMs: null }, { atMs: 1_600, toEntries: silently })
    expect(await subjectsOf(t)).toEqual([])
    expect(await admit({ role: 'admin' })).toMatchObject({ how: 'linked' })
    expect(await admit({ subject: 'two' })).toBe('email-taken')
    await admins.change(id, { disabledAtMs: 2_500 }, { atMs: 2_500, toEntries: silently })
    expect(await admit({})).toBe('disabled')
    expect(await openIds.find(person.issuer, 'one')).toMatchObject({ id, disabledAtMs: 2_500 })
    expect(await openIds.find(person.issuer, 'two')).toBeUndefined()
    expect(await admins.count()).toBe(2)
  })

  test('another role ends the sessions; a higher one removes the password', async () => {
    const { openIds, admins, adminSessions } = t.stores
    const { id: adminId } = await admins.insert({ ...ada, role: 'operator' })
    await openIds.admit(person, 1_000, silently)
    const begin = (jti: string) =>
      adminSessions.insert({ jti, adminId, issuedAtMs: 1_000, expiresAtMs: 9_000 })
    await begin('a')
    await openIds.admit(person, 2_000, silently)
    expect((await adminSessions.findByJti('a'))?.revokedAtMs).toBeNull()
    const lower = await openIds.admit({ ...person, role: 'viewer' }, 3_000, silently)
    expect(lower).toMatchObject({ roleBefore: 'operator', isPasswordRemoved: false })
    expect(await adminSessions.findByJti('a')).toMatchObject({ revokedAtMs: 3_000, role: 'viewer' })
    expect(await admins.find(adminId)).toMatchObject({ passwordHash: ada.passwordHash })
    await begin('b')
    const higher = await openIds.admit({ ...person, role: 'admin' }, 4_000, silently)
    expect(higher).toMatchObject({ roleBefore: 'viewer', isPasswordRemoved: true })
    expect(await adminSessions.findByJti('b')).toMatchObject({ revokedAtMs: 4_000, role: 'admin' })
    expect(await admins.find(adminId)).toMatchObject({ passwordHash: '' })
    // The provider may also leave nobody with the role.
    expect(await openIds.admit(person, 5_000, silently)).toMatchObject({ roleBefore: 'admin' })
  })

  test('at two nodes at once, a person becomes one admin', async () => {
    const { stores } = t
    const other = await t.beside()
    const admissions = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? stores : other).openIds.admit(person, 1_000, silently),
      ),
    )
    const how = admissions.map((one) => (typeof one === 'string' ? one : one.how))
    expect(how.sort()).toEqual(['created', ...Array.from({ length: 9 }, () => 'known')])
    expect(await stores.admins.count()).toBe(1)
    // Of two people with one address, one gets it.
    const same = { ...person, email: bob.email }
    const two = await Promise.all([
      stores.openIds.admit({ ...same, subject: 'two' }, 1_000, silently),
      other.openIds.admit({ ...same, subject: 'three' }, 1_000, silently),
    ])
    expect(two.filter((one) => one === 'email-taken')).toHaveLength(1)
    expect(await other.admins.count()).toBe(2)
  })
})
