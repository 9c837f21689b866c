import { expect, test } from 'vitest'
import { onEachDatabase, type TestStores } from './engines.ts'
import { ada, bob, entryOf, refuse, subjectsOf } from './rows.ts'

const enrolment = {
  ...{ atMs: 1_000, codeHashes: ['a', 'b'], session: { jti: 'one', address: '' } },
  toEntry: ({ kind }: { kind: string }, isFirst: boolean) =>
    entryOf(`${isFirst ? 'first' : 'further'} ${kind}`),
}
const seal = (id: number) => ({ keyId: 'key', secretSealed: `sealed ${id}` })

const passkeyOf = (adminId: number, credentialId: string) => ({
  ...{ adminId, name: 'Key', credentialId, publicKey: 'key', counter: 0 },
  ...{ transports: ['usb', 'nfc'], rpId: 'localhost' },
})

onEachDatabase('second factors', (t) => {
  /** With an admin. */
  async function withAdmin() {
    const { id: adminId } = await t.stores.admins.insert(ada)
    const { secondFactors: factors, adminSessions } = t.stores
    return {
      ...{ adminId, factors },
      addPasskey: (credentialId: string) =>
        factors.insertPasskey(passkeyOf(adminId, credentialId), enrolment),
      addTotp: () =>
        factors.insertTotp({ adminId, name: 'Phone', createdAtMs: 1_000 }, seal, entryOf('totp')),
      begin: (jti: string, factor: 'password' | 'passkey') =>
        adminSessions.insert({ jti, adminId, issuedAtMs: 1_000, expiresAtMs: 9_000, factor }),
    }
  }

  test('a passkey counts from the start, and an app after its first code', async () => {
    const { factors, adminId, addPasskey, addTotp } = await withAdmin()
    expect(await factors.list(adminId)).toEqual([])
    const totp = await addTotp()
    const none = { confirmedAtMs: null, lastUsedAtMs: null, lastStep: null, transports: null }
    expect(totp).toEqual({
      ...{ id: totp.id, adminId, kind: 'totp', name: 'Phone', createdAtMs: 1_000 },
      ...{ ...none, secretSealed: `sealed ${totp.id}`, keyId: 'key' },
      ...{ credentialId: null, publicKey: null, counter: null, rpId: null },
    })
    expect(await factors.findUnconfirmed(adminId, totp.id)).toEqual(totp)
    expect(await factors.findUnconfirmed(99, totp.id)).toBeUndefined()
    const passkey = await addPasskey('first')
    expect(passkey).toEqual({
      factor: {
        ...{ ...passkeyOf(adminId, 'first'), id: passkey.factor.id, kind: 'passkey' },
        ...{ createdAtMs: 1_000, confirmedAtMs: 1_000, lastUsedAtMs: null },
        ...{ secretSealed: null, keyId: null, lastStep: null },
      },
      ...{ isFirst: true, endedSessions: 0 },
    })
    const confirmed = await factors.confirmTotp(totp.id, 4, { ...enrolment, atMs: 2_000 })
    const counting = { ...totp, confirmedAtMs: 2_000, lastStep: 4 }
    expect(confirmed).toEqual({ factor: counting, isFirst: false, endedSessions: 0 })
    expect(await factors.confirmTotp(totp.id, 5, enrolment)).toBeUndefined()
    expect(await factors.confirmTotp(99, 5, enrolment)).toBeUndefined()
    expect(await factors.findUnconfirmed(adminId, totp.id)).toBeUndefined()
    expect(await factors.list(adminId)).toEqual([counting, passkey.factor])
    expect(await factors.list(99)).toEqual([])
    expect(await factors.listSealed()).toEqual([counting])
    expect(await subjectsOf(t)).toEqual(['totp', 'first passkey', 'further totp'])
  })

  // The password was checked before the factor was added, and the session would outlive it.
  test('no session begins with the password alone once there is a second factor', async () => {
    const { begin, addPasskey } = await withAdmin()
    expect(await begin('one', 'password')).toBe(true)
    await addPasskey('first')
    expect(await begin('two', 'password')).toBe(false)
    expect(await begin('three', 'passkey')).toBe(true)
    expect(await t.stores.adminSessions.findByJti('one')).toMatchObject({ hasSecondFactor: true })
  })

  test('the first factor ends the sessions but the one that adds it, which has shown it', async () => {
    const { begin, addPasskey } = await withAdmin()
    for (const jti of ['one', 'two']) await begin(jti, 'password')
    expect(await addPasskey('first')).toMatchObject({ endedSessions: 1 })
    await begin('three', 'passkey')
    expect(await addPasskey('further')).toMatchObject({ endedSessions: 0 })
    const rows = await Promise.all(
      ['one', 'two', 'three'].map((jti) => t.stores.adminSessions.findByJti(jti)),
    )
    expect(rows.map((row) => row?.revokedAtMs)).toEqual([null, 1_000, null])
    expect(rows.map((row) => row?.factor)).toEqual(['passkey', 'password', 'passkey'])
  })

  test('recovery codes come with the first factor, stay with a further one and go with the last', async () => {
    const { factors, adminId, addPasskey } = await withAdmin()
    const first = await addPasskey('first')
    await factors.useCode(adminId, 'a', 2_000)
    const further = await addPasskey('further')
    expect(await factors.codesLeft(adminId)).toBe(1)
    const toEntry = ({ name }: { name: string }, isLast: boolean) =>
      entryOf(`${name} ${isLast ? 'was the last' : 'is gone'}`)
    expect(await factors.remove(99, first.factor.id, toEntry)).toBe(false)
    expect(await factors.remove(adminId, first.factor.id, toEntry)).toBe(true)
    expect(await factors.remove(adminId, first.factor.id, toEntry)).toBe(false)
    expect(await factors.codesLeft(adminId)).toBe(1)
    await factors.remove(adminId, further.factor.id, toEntry)
    expect(await factors.codesLeft(adminId)).toBe(0)
    expect((await subjectsOf(t)).slice(2)).toEqual(['Key is gone', 'Key was the last'])
  })

  test('new recovery codes end the older ones, for somebody who has a second factor', async () => {
    const { factors, adminId, addPasskey } = await withAdmin()
    expect(await factors.replaceCodes(adminId, ['c'], 2_000, entryOf('codes'))).toBe(false)
    expect(await factors.codesLeft(adminId)).toBe(0)
    await addPasskey('first')
    expect(await factors.replaceCodes(adminId, ['c'], 2_000, entryOf('codes'))).toBe(true)
    const used = ['a', 'c'].map((hash) => factors.useCode(adminId, hash, 3_000))
    expect(await Promise.all(used)).toEqual([false, true])
    expect(await subjectsOf(t)).toEqual(['first passkey', 'codes'])
  })

  test('a time step and a recovery code are used once, and a counter only goes from where it was', async () => {
    const { factors, adminId, addPasskey, addTotp } = await withAdmin()
    const { id } = await addTotp()
    // It has not shown a code yet.
    expect(await factors.useTotp(id, 5, 2_000)).toBe(false)
    await factors.confirmTotp(id, 4, { ...enrolment, codeHashes: ['a'] })
    const inTurn = async <T>(uses: readonly (() => Promise<T>)[]) => {
      const results: T[] = []
      for (const use of uses) results.push(await use())
      return results
    }
    const steps = [4, 5, 5, 3, 6].map((step) => () => factors.useTotp(id, step, 2_000))
    expect(await inTurn(steps)).toEqual([false, true, false, false, true])
    const codes = ['a', 'a', 'c'].map((hash) => () => factors.useCode(adminId, hash, 2_000))
    expect(await inTurn(codes)).toEqual([true, false, false])
    const key = (await addPasskey('first')).factor.id
    const counters = [
      { from: 0, to: 7 },
      { from: 0, to: 7 },
      { from: 7, to: 8 },
    ].map((each) => () => factors.usePasskey(key, each, 3_000))
    expect(await inTurn(counters)).toEqual([true, false, true])
    expect(await factors.list(adminId)).toMatchObject([
      { lastStep: 6, lastUsedAtMs: 2_000 },
      { counter: 8, lastUsedAtMs: 3_000 },
    ])
  })

  test('at two nodes at once, a code, a time step and a counter are used once', async () => {
    const { factors, adminId, addPasskey, addTotp } = await withAdmin()
    const other = (await t.beside()).secondFactors
    const key = (await addPasskey('first')).factor.id
    const { id } = await addTotp()
    await factors.confirmTotp(id, 4, enrolment)
    const uses: ((at: TestStores['secondFactors']) => Promise<boolean>)[] = [
      (at) => at.useTotp(id, 5, 2_000),
      (at) => at.useCode(adminId, 'a', 2_000),
      (at) => at.usePasskey(key, { from: 0, to: 1 }, 2_000),
    ]
    for (const use of uses) {
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, i) => use(i % 2 === 0 ? factors : other)),
      )
      expect(results.filter(Boolean)).toEqual([true])
    }
  })

  test('at two nodes at once, one factor is the first, and one the last', async () => {
    const { factors, adminId, addTotp } = await withAdmin()
    const other = (await t.beside()).secondFactors
    const { id } = await addTotp()
    const added = await Promise.all([
      factors.confirmTotp(id, 4, enrolment),
      other.confirmTotp(id, 4, enrolment),
      factors.insertPasskey(passkeyOf(adminId, 'one'), enrolment),
      other.insertPasskey(passkeyOf(adminId, 'two'), enrolment),
    ])
    expect(added.filter((one) => one?.isFirst)).toHaveLength(1)
    expect(added.filter((one) => one !== undefined)).toHaveLength(3)
    const lasts: boolean[] = []
    await Promise.all(
      (await factors.list(adminId)).map((factor, i) =>
        (i % 2 === 0 ? factors : other).remove(adminId, factor.id, (_, isLast) => {
          lasts.push(isLast)
          return entryOf('removed')
        }),
      ),
    )
    expect(lasts.filter(Boolean)).toEqual([true])
    expect(await factors.codesLeft(adminId)).toBe(0)
  })

  test('a secret that waits for its first code gives way to the next one, and counts for nothing', async () => {
    const { factors, adminId, addTotp } = await withAdmin()
    const { id: bobsId } = await t.stores.admins.insert(bob)
    const totp = { adminId: bobsId, name: 'Phone', createdAtMs: 1_000 }
    const bobs = await factors.insertTotp(totp, seal, entryOf('totp'))
    await expect(factors.insertTotp(totp, refuse, entryOf('totp'))).rejects.toThrow()
    const [first, second] = [await addTotp(), await addTotp()]
    expect(second.secretSealed).toBe(`sealed ${second.id}`)
    expect(await factors.findUnconfirmed(adminId, first.id)).toBeUndefined()
    expect(await factors.list(adminId)).toEqual([])
    expect(await factors.listSealed()).toEqual([bobs, second])
  })

  test('a passkey belongs to one admin, and nothing of a second try is stored', async () => {
    const { factors, addPasskey } = await withAdmin()
    await addPasskey('first')
    const { id: bobsId } = await t.stores.admins.insert(bob)
    await expect(
      factors.insertPasskey(passkeyOf(bobsId, 'first'), enrolment),
    ).rejects.toMatchObject({ code: 'PASSKEY_TAKEN', statusCode: 409 })
    expect(await factors.list(bobsId)).toEqual([])
    expect(await factors.codesLeft(bobsId)).toBe(0)
    expect(await subjectsOf(t)).toEqual(['first passkey'])
  })

  test('a factor gets another name, and the same secret another seal', async () => {
    const { factors, adminId, addPasskey, addTotp } = await withAdmin()
    const { factor } = await addPasskey('first')
    const waiting = await addTotp()
    const toEntry = (before: { name: string }) => entryOf(`was ${before.name}`)
    expect(await factors.rename(adminId, factor.id, 'YubiKey', toEntry)).toEqual({
      ...{ ...factor, name: 'YubiKey' },
    })
    expect(await factors.rename(99, factor.id, 'No', toEntry)).toBeUndefined()
    expect(await factors.rename(adminId, waiting.id, 'No', toEntry)).toBeUndefined()
    await factors.reseal(waiting.id, { keyId: 'next', secretSealed: 'sealed again' })
    expect(await factors.listSealed()).toEqual([
      { ...waiting, keyId: 'next', secretSealed: 'sealed again' },
    ])
    expect(await factors.list(adminId)).toEqual([{ ...factor, name: 'YubiKey' }])
    expect(await subjectsOf(t)).toEqual(['first passkey', 'totp', 'was Key'])
  })
})
