import { afterEach, beforeEach, expect, test } from 'vitest'
import { gatewayAuthor } from '../audit-chain.ts'
import { createAdminSessionStore } from './admin-session-store.ts'
import { createAdminStore } from './admin-store.ts'
import { openStore, type Store } from './open.ts'
import { createSecondFactorStore } from './second-factor-store.ts'

let store: Store
let adminId: number
beforeEach(async () => {
  store = openStore(':memory:')
  const ada = { email: 'ada@example.com', passwordHash: 'hash', createdAtMs: 1_000 }
  adminId = (await createAdminStore(store.db).insert(ada)).id
})
afterEach(() => store.close())

const entry = {
  author: gatewayAuthor(1_000),
  ...{ action: 'second-factor.added', subjectKind: 'admin', subject: 'ada@example.com' },
}

async function addPasskey(credentialId: string) {
  return createSecondFactorStore(store.db).insertPasskey(
    {
      ...{ adminId, name: 'Key', credentialId, publicKey: 'key', counter: 0 },
      ...{ transports: [], rpId: 'localhost' },
    },
    {
      ...{ atMs: 1_000, codeHashes: ['a', 'b'], session: { jti: 'one', address: '' } },
      toEntry: () => entry,
    },
  )
}

// The password was checked before the factor was added, and the session would outlive it.
test('no session begins with the password alone once there is a second factor', async () => {
  const sessions = createAdminSessionStore(store.db)
  const begin = (jti: string, factor: 'password' | 'passkey') =>
    sessions.insert({ jti, adminId, issuedAtMs: 1_000, expiresAtMs: 9_000, factor })
  expect(await begin('one', 'password')).toBe(true)
  await addPasskey('first')
  expect(await begin('two', 'password')).toBe(false)
  expect(await begin('three', 'passkey')).toBe(true)
})

test('recovery codes come with the first factor, stay with a further one and go with the last', async () => {
  const factors = createSecondFactorStore(store.db)
  const first = await addPasskey('first')
  expect(first.isFirst).toBe(true)
  await factors.useCode(adminId, 'a', 2_000)
  const further = await addPasskey('further')
  expect(further.isFirst).toBe(false)
  expect(await factors.codesLeft(adminId)).toBe(1)
  await factors.remove(adminId, first.factor.id, () => entry)
  expect(await factors.codesLeft(adminId)).toBe(1)
  await factors.remove(adminId, further.factor.id, () => entry)
  expect(await factors.codesLeft(adminId)).toBe(0)
})

test('a time step and a recovery code are used once, and a counter only goes from where it was', async () => {
  const factors = createSecondFactorStore(store.db)
  const sealed = { keyId: 'key', secretSealed: 'sealed' }
  const totp = { adminId, name: 'Phone', createdAtMs: 1_000 }
  const { id } = await factors.insertTotp(totp, () => sealed, entry)
  // It has not shown a code yet.
  expect(await factors.useTotp(id, 5, 2_000)).toBe(false)
  const session = { jti: 'one', address: '' }
  const enrolment = { atMs: 1_000, codeHashes: ['a'], session, toEntry: () => entry }
  await factors.confirmTotp(id, 4, enrolment)
  const steps = [4, 5, 5, 3, 6].map((step) => factors.useTotp(id, step, 2_000))
  expect(await Promise.all(steps)).toEqual([false, true, false, false, true])
  const codes = ['a', 'a', 'c'].map((hash) => factors.useCode(adminId, hash, 2_000))
  expect(await Promise.all(codes)).toEqual([true, false, false])
  const key = (await addPasskey('first')).factor.id
  const counters = [
    { from: 0, to: 7 },
    { from: 0, to: 7 },
    { from: 7, to: 8 },
  ].map((each) => factors.usePasskey(key, each, 2_000))
  expect(await Promise.all(counters)).toEqual([true, false, true])
})

test('a secret that waits for its first code gives way to the next one, and counts for nothing', async () => {
  const factors = createSecondFactorStore(store.db)
  const insert = () =>
    factors.insertTotp(
      { adminId, name: 'Phone', createdAtMs: 1_000 },
      (id) => ({ keyId: 'key', secretSealed: `sealed ${id}` }),
      entry,
    )
  const [first, second] = [await insert(), await insert()]
  expect(second.secretSealed).toBe(`sealed ${second.id}`)
  expect(await factors.findUnconfirmed(adminId, first.id)).toBeUndefined()
  expect(await factors.list(adminId)).toEqual([])
  expect(await factors.listSealed()).toHaveLength(1)
})
