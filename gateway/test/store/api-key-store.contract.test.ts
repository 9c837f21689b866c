import { beforeEach, expect, test } from 'vitest'
import { accountRefOf } from '../../src/store/api-key-store.ts'
import { onEachDatabase, type TestStores } from './engines.ts'
import { apiKeysOf, entryOf, newClient, subjectsOf } from './rows.ts'

onEachDatabase('the exchange keys', (t) => {
  let apiKeys: TestStores['apiKeys']
  let clientRef: number
  beforeEach(async () => {
    apiKeys = t.stores.apiKeys
    clientRef = (await t.stores.clients.insert(newClient())).id
  })

  const keysFor = (exchange: 'mx' | 'bg', passphraseSealed: string | null = null) =>
    apiKeysOf(clientRef, { exchange, passphraseSealed })

  test('keys are found sealed as they were kept, per client and exchange', async () => {
    const kept = await apiKeys.upsert(keysFor('bg', 'v1.sealed-pass'))
    expect(kept).toMatchObject({ ...keysFor('bg', 'v1.sealed-pass'), testStatus: 'untested' })
    expect(await apiKeys.find(clientRef, 'bg')).toEqual(kept)
    expect(await apiKeys.find(clientRef, 'mx')).toBeUndefined()
    expect(await apiKeys.find(99, 'bg')).toBeUndefined()
  })

  test('the list names the client and says what is there, and holds nothing sealed', async () => {
    await apiKeys.upsert(keysFor('mx'))
    await apiKeys.upsert(keysFor('bg', 'v1.sealed-pass'))
    const list = await apiKeys.list()
    expect(list).toMatchObject([
      { exchange: 'bg', clientId: 'grid-bot', note: 'main account', hasPassphrase: true },
      { exchange: 'mx', clientId: 'grid-bot', note: 'main account', hasPassphrase: false },
    ])
    expect(JSON.stringify(list)).not.toContain('sealed')
  })

  test('replaced keys are untested, and a test of the older ones cannot vouch for them', async () => {
    const old = await apiKeys.upsert(keysFor('mx'))
    const result = { status: 'success' as const, message: 'reads and trades', testedAtMs: 3_000 }
    expect(await apiKeys.setTestResult(old.id, result)).toMatchObject({
      ...{ testStatus: 'success', testMessage: 'reads and trades', testedAtMs: 3_000 },
    })
    await apiKeys.upsert({ ...keysFor('mx'), apiKeySealed: 'v1.new', note: null })
    expect(await apiKeys.setTestResult(old.id, result)).toBeUndefined()
    expect(await apiKeys.list()).toMatchObject([
      { testStatus: 'untested', testMessage: null, note: null },
    ])
  })

  test('keys belong to the account of those that they replace when that is certain', async () => {
    const save = (isSame: boolean, accountUid?: string) =>
      apiKeys.upsert({ ...keysFor('mx'), accountUid: accountUid ?? null }, undefined, () => isSame)
    const first = await save(true, '7')
    expect(first).toMatchObject({ accountRef: null, accountUid: '7' })
    expect(await save(true)).toMatchObject({ accountRef: first.id, accountUid: '7' })
    const third = await save(true, '8')
    expect(third).toMatchObject({ accountRef: first.id, accountUid: '8' })
    expect(accountRefOf(third)).toBe(first.id)
    const seen: number[] = []
    const other = await apiKeys.upsert(keysFor('mx'), undefined, ({ id }) => {
      seen.push(id)
      return false
    })
    expect(seen).toEqual([third.id])
    expect(other).toMatchObject({ accountRef: null, accountUid: null })
    expect(accountRefOf(other)).toBe(other.id)
    await apiKeys.setAccountUid(other.id, '9')
    await apiKeys.setAccountUid(third.id, '10')
    expect(await apiKeys.find(clientRef, 'mx')).toMatchObject({ id: other.id, accountUid: '9' })
    // What the exchange says is enough.
    const same = { accountRef: other.id, accountUid: '9' }
    expect(await save(false, '9')).toMatchObject(same)
    await apiKeys.remove(clientRef, 'mx')
    expect(await save(false, '9')).toMatchObject(same)
    await apiKeys.remove(clientRef, 'mx')
    expect(await save(true, '10')).toMatchObject({ accountRef: null })
    // Nobody knows any more whose the removed ones were.
    await apiKeys.remove(clientRef, 'mx')
    await save(true)
    await apiKeys.remove(clientRef, 'mx')
    expect(await save(true, '10')).toMatchObject({ accountRef: null })
  })

  test('keys are removed for one exchange alone', async () => {
    await apiKeys.upsert(keysFor('mx'))
    await apiKeys.upsert(keysFor('bg'))
    expect(await apiKeys.remove(clientRef, 'mx')).toMatchObject({ exchange: 'mx' })
    expect(await apiKeys.remove(clientRef, 'mx')).toBeUndefined()
    expect((await apiKeys.list()).map(({ exchange }) => exchange)).toEqual(['bg'])
  })

  test('keys that replace others come after every row that was read before', async () => {
    const first = await apiKeys.upsert(keysFor('mx'))
    const other = await apiKeys.upsert(keysFor('bg'))
    expect(await apiKeys.listSealedAfter('mx', 0, 10)).toEqual([first])
    await apiKeys.remove(clientRef, 'bg')
    const replaced = await apiKeys.upsert(keysFor('mx'))
    expect(replaced.id).toBeGreaterThan(other.id)
    expect(await apiKeys.listSealedAfter('mx', first.id, 10)).toEqual([replaced])
    expect(await apiKeys.listSealedAfter('mx', replaced.id, 10)).toEqual([])
    expect(await apiKeys.listSealedAfter('mx', 0, 0)).toEqual([])
  })

  test('what is learned about keys is stored with them, and nothing is learned about others', async () => {
    const { id } = await apiKeys.upsert(keysFor('mx'))
    expect(await apiKeys.find(clientRef, 'mx')).toMatchObject({ accountKind: null })
    await apiKeys.setAccountKind(id, 'unified')
    await apiKeys.setCanWithdraw(id, true)
    await apiKeys.setExpiry(id, { expiresAtMs: 9_000, readAtMs: 3_000 })
    const learned = {
      ...{ accountKind: 'unified', canWithdraw: true, expiresAtMs: 9_000, expiryReadAtMs: 3_000 },
    }
    expect(await apiKeys.find(clientRef, 'mx')).toMatchObject({ id, ...learned })
    await apiKeys.setExpiry(id, { expiresAtMs: null, readAtMs: 4_000 })
    await apiKeys.setCanWithdraw(id, false)
    await apiKeys.setAccountKind(99, 'classic')
    await apiKeys.setCanWithdraw(99, true)
    await apiKeys.setExpiry(99, { expiresAtMs: 1, readAtMs: 1 })
    expect(await apiKeys.list()).toMatchObject([
      { ...learned, canWithdraw: false, expiresAtMs: null, expiryReadAtMs: 4_000 },
    ])
  })

  test('keys are sealed again in their row, unless they were replaced', async () => {
    const old = await apiKeys.upsert(keysFor('bg', 'v1.pass'))
    const sealed = {
      ...{ apiKeySealed: 'v2.key', apiSecretSealed: 'v2.secret', passphraseSealed: 'v2.pass' },
      keyId: 'ba9876543210',
    }
    expect(await apiKeys.reseal(old.id, sealed)).toBe(true)
    expect(await apiKeys.find(clientRef, 'bg')).toEqual({ ...old, ...sealed })
    await apiKeys.upsert(keysFor('bg'))
    expect(await apiKeys.reseal(old.id, sealed)).toBe(false)
    const other = await apiKeys.upsert(keysFor('mx'))
    expect((await apiKeys.listSealed()).map(({ apiKeySealed }) => apiKeySealed)).toEqual([
      'v1.sealed-key',
      'v1.sealed-key',
    ])
    expect((await apiKeys.listSealed()).at(-1)).toEqual(other)
  })

  test('an entry says which keys were replaced, tested or removed', async () => {
    const tell = (row: { note: string | null }, replaced?: { note: string | null }) =>
      entryOf(`${row.note} for ${replaced?.note}`)
    const first = await apiKeys.upsert(keysFor('mx'), tell)
    const second = await apiKeys.upsert({ ...keysFor('mx'), note: 'new' }, tell)
    const result = { status: 'failure' as const, message: null, testedAtMs: 3_000 }
    await apiKeys.setTestResult(second.id, result, entryOf('tested'))
    const late = apiKeys.setTestResult(first.id, result, entryOf('tested too late'))
    expect(await late).toBeUndefined()
    expect(await apiKeys.list()).toMatchObject([{ id: second.id, testStatus: 'failure' }])
    await apiKeys.remove(clientRef, 'mx', (removed) => entryOf(`${removed.note} removed`))
    await apiKeys.remove(clientRef, 'mx', () => entryOf('nothing'))
    expect(await subjectsOf(t)).toEqual([
      ...['main account for undefined', 'new for main account', 'tested', 'tested too late'],
      'new removed',
    ])
  })

  test('keys that are stored at once replace one another, and the last ones are left', async () => {
    const rows = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) =>
        apiKeys.upsert({ ...keysFor('mx'), note: `${number}` }, (row, replaced) =>
          entryOf(`${row.id} for ${replaced?.id}`),
        ),
      ),
    )
    const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other)
    expect((await apiKeys.list()).map(({ id }) => id)).toEqual(ids.slice(-1))
    expect(await subjectsOf(t)).toEqual(
      ids.map((id, index) => `${id} for ${index === 0 ? undefined : ids[index - 1]}`),
    )
  })
})
