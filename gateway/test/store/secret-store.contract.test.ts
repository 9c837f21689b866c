import { beforeEach, expect, test } from 'vitest'
import { onEachDatabase, type TestStores } from './engines.ts'
import { entryOf, newClient, subjectsOf } from './rows.ts'

const second = { secretHash: 'second', secretPreview: 'p2' }
const third = { secretHash: 'third', secretPreview: 'p3' }

onEachDatabase('the secrets of clients', (t) => {
  let stores: TestStores
  let secrets: TestStores['secrets']
  let id: number
  beforeEach(async () => {
    stores = t.stores
    secrets = stores.secrets
    const client = { ...newClient(), secretHash: 'first', secretPreview: 'p1' }
    id = (await stores.clients.insert(client)).id
  })

  const use = (preview: string, usedAtMs: number, address = '10.0.0.1', clientRef = id) =>
    secrets.noteUse({ clientRef, preview, usedAtMs, address })
  const previews = async () => (await secrets.uses(id)).map(({ preview }) => preview).sort()
  const insertToken = (jti: string) =>
    stores.tokens.insert({ jti, clientRef: id, issuedAtMs: 0, expiresAtMs: 9_000 })
  const revokedAtMs = async (jti: string) => (await stores.tokens.findByJti(jti))?.revokedAtMs

  test('an old secret is found from its rotation until it expires, and removed after that', async () => {
    expect(await secrets.findOld(id, 0)).toBeUndefined()
    await secrets.rotate(id, second, 1_000, 0)
    expect(await secrets.findOld(id, 999)).toEqual({
      ...{ hash: 'first', preview: 'p1', expiresAtMs: 1_000 },
    })
    expect(await secrets.findOld(id, 1_000)).toBeUndefined()
    expect(await secrets.findOld(99, 0)).toBeUndefined()
    expect(await secrets.removeExpired(999)).toBe(0)
    expect(await secrets.removeExpired(1_000)).toBe(1)
    expect(await secrets.findOld(id, 0)).toBeUndefined()
  })

  test('a client has its new secret and one old one, and keeps its tokens', async () => {
    const { clients } = stores
    await insertToken('t')
    for (const preview of ['p1', 'p2', 'p3']) await use(preview, 1)
    const before = await secrets.rotate(id, second, 1_000, 50, (row) => entryOf(row.secretPreview))
    expect(before).toMatchObject({ secretHash: 'first', secretPreview: 'p1', updatedAtMs: 1_000 })
    expect(await clients.find(id)).toMatchObject({ ...second, updatedAtMs: 50 })
    expect(await previews()).toEqual(['p1', 'p2'])
    await secrets.rotate(id, third, 2_000, 60, (row) => entryOf(row.secretPreview))
    expect(await secrets.findOld(id, 0)).toMatchObject({ hash: 'second', expiresAtMs: 2_000 })
    expect(await t.sql('select hash from old_secrets')).toEqual([{ hash: 'second' }])
    expect(await previews()).toEqual(['p2'])
    expect(await revokedAtMs('t')).toBeNull()
    expect(await subjectsOf(t)).toEqual(['p1', 'p2'])
    expect(await secrets.rotate(99, second, null, 0, () => entryOf('none'))).toBeUndefined()
  })

  test('a secret that ends at once takes the old one and the tokens along', async () => {
    await secrets.rotate(id, second, 1_000, 0)
    await insertToken('t')
    for (const preview of ['p1', 'p2', 'p3']) await use(preview, 1)
    await secrets.rotate(id, third, null, 70)
    expect(await secrets.findOld(id, 0)).toBeUndefined()
    expect(await revokedAtMs('t')).toBe(70)
    expect(await previews()).toEqual(['p3'])
  })

  test('an old secret is ended, with the tokens', async () => {
    await secrets.rotate(id, second, 1_000, 0)
    await insertToken('t')
    await use('p1', 1)
    await use('p2', 1)
    const row = await secrets.endOld(id, 70, (client, old) =>
      entryOf(`${client.secretPreview} ${old?.preview}`),
    )
    expect(row).toMatchObject(second)
    expect(await secrets.findOld(id, 0)).toBeUndefined()
    expect(await revokedAtMs('t')).toBe(70)
    expect(await previews()).toEqual(['p2'])
    await secrets.endOld(id, 80, (_, old) => entryOf(`${old}`))
    expect(await secrets.endOld(99, 0, () => entryOf('none'))).toBeUndefined()
    expect(await subjectsOf(t)).toEqual(['p2 p1', 'undefined'])
  })

  test('rotations that come at once follow one another', async () => {
    const { clients } = stores
    const befores = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) => {
        const next = { secretHash: `h${number}`, secretPreview: `p${number}` }
        return secrets.rotate(id, next, 1_000, number, (row) => entryOf(row.secretHash))
      }),
    )
    const current = (await clients.find(id))?.secretHash
    const seen = [...befores.map((row) => row?.secretHash), current]
    expect(new Set(seen)).toEqual(new Set(['first', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']))
    const replaced = await subjectsOf(t)
    expect(await secrets.findOld(id, 0)).toMatchObject({ hash: replaced.at(-1) })
    expect(await t.sql('select id from old_secrets')).toHaveLength(1)
  })

  test('the last use of each secret is known, and of each client since a time', async () => {
    const { clients } = stores
    const other = await clients.insert(newClient('other'))
    await use('p1', 10, 'a')
    await use('p1', 20, 'b')
    await use('p2', 15, 'c')
    await use('x', 12, 'd', other.id)
    await use('x', 12, 'd', 99)
    const uses = (await secrets.uses(id)).toSorted((one, next) => one.usedAtMs - next.usedAtMs)
    expect(uses).toEqual([
      { clientRef: id, preview: 'p2', usedAtMs: 15, address: 'c' },
      { clientRef: id, preview: 'p1', usedAtMs: 20, address: 'b' },
    ])
    const own = { clientRef: id, clientId: 'grid-bot', lastSeenAtMs: 20, lastAddress: 'b' }
    expect(await secrets.usesSince(10)).toEqual([
      own,
      { clientRef: other.id, clientId: 'other', lastSeenAtMs: 12, lastAddress: 'd' },
    ])
    expect(await secrets.usesSince(13)).toEqual([own])
    expect(await secrets.usesSince(21)).toEqual([])
  })
})
