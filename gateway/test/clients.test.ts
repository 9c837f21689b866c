import {
  createClient,
  deleteClient,
  getStats,
  listApiKeys,
  listClients,
  listLogs,
  mxTickerPrice,
  toggleClient,
} from 'schema'
import { afterEach, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { wrong } from './support/call.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()

afterEach(() => {
  vi.useRealTimers()
})

const create = ({ call }: TestApp, client: object) => call(createClient, { body: wrong(client) })
const list = ({ call }: TestApp) => call(listClients)
const toggle = ({ call }: TestApp, id: number, isActive: unknown) =>
  call(toggleClient, { params: { id }, body: wrong({ isActive }) })
const remove = ({ call }: TestApp, id: number) => call(deleteClient, { params: { id } })

test('a secret is shown when the client is created and never again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp()
  const created = await create(t, { clientId: 'grid-bot', description: ' Trades the grid ' })
  expect(created.status).toBe(201)
  expect(created.headers['cache-control']).toBe('no-store')
  const { clientSecret, ...client } = created.body
  expect(clientSecret).toMatch(/^sls_[\w-]{43}$/)
  expect(client).toEqual({
    id: 1,
    clientId: 'grid-bot',
    description: 'Trades the grid',
    isActive: true,
    permissions: ['market', 'account', 'trade'],
    secretPreview: `${clientSecret.slice(0, 8)}...${clientSecret.slice(-4)}`,
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  const listed = await list(t)
  expect(listed.body).toEqual([
    { ...client, state: 'active', nearestLimit: null, wouldHaveRefused: null },
  ])
  expect(listed.text).not.toContain(clientSecret)
  expect((await toggle(t, 1, false)).text).not.toContain(clientSecret)
})

test.each(['бот-1', 'σ_7', '机器人ボット', 'bot🤖'])(
  'the id %s has letters of one script, and is taken',
  async (clientId) => {
    expect((await create(shared(), { clientId })).status).toBe(201)
  },
)

test('two clients cannot have the same id', async () => {
  const t = shared()
  await create(t, { clientId: 'bot' })
  expect(await create(t, { clientId: 'bot' })).toMatchObject({
    status: 409,
    body: { code: 'CLIENT_ID_TAKEN', message: expect.stringContaining('"bot"') },
  })
})

const MANY_SCRIPTS = expect.stringMatching(/visible.*one script/)

test.each<[object, string, unknown]>([
  [{}, 'clientId', 'Client ID is required'],
  [{ clientId: '' }, 'clientId', 'Client ID is required'],
  [{ clientId: 'two words' }, 'clientId', expect.any(String)],
  [{ clientId: 'a\nb' }, 'clientId', expect.any(String)],
  [{ clientId: 'x'.repeat(300) }, 'clientId', 'must not have more than 128 characters'],
  ...['bot\u202etob', 'bot\u200b', 'b\u043et', '\u0391lpha', '\u0410\u03b2'].map(
    (clientId): [object, string, unknown] => [{ clientId }, 'clientId', MANY_SCRIPTS],
  ),
  [{ clientId: 7 }, 'clientId', expect.any(String)],
  [{ clientId: 'bot', description: 'x'.repeat(201) }, 'description', expect.any(String)],
  [{ clientId: 'bot', clientSecret: 'my own' }, 'clientSecret', 'is not a known field'],
])('the client %j is rejected because of its %s', async (payload, field, message) => {
  const t = shared()
  const before = (await list(t)).body
  expect(await create(t, payload)).toMatchObject({
    ...{ status: 400, body: { code: 'VALIDATION_FAILED', fields: [{ field, message }] } },
  })
  expect((await list(t)).body).toEqual(before)
})

test('free text is stored unchanged: markup, quotes and scripts in it have no effect', async () => {
  const t = shared()
  const description = `<script>alert(1)</script>'"; DROP TABLE clients; -- =1+1 🤖`
  await create(t, { clientId: `a"b'c<d>`, description })
  expect((await list(t)).body[0]).toMatchObject({ clientId: `a"b'c<d>`, description })
})

test('switching returns the current client, and repeating it is no error', async () => {
  const t = shared()
  const { id } = (await create(t, { clientId: 'switched' })).body
  for (const isActive of [false, false, true, true])
    expect(await toggle(t, id, isActive)).toMatchObject({
      ...{ status: 200, body: { id, clientId: 'switched', isActive } },
    })
})

test('isActive is true or false and nothing else', async () => {
  const t = shared()
  const { id } = (await create(t, { clientId: 'bot-of-no-truth' })).body
  for (const isActive of ['yes', 'true', 1, null, undefined])
    expect(await toggle(t, id, isActive), `${isActive}`).toMatchObject({
      ...{ status: 400, body: { fields: [{ field: 'isActive' }] } },
    })
  expect((await list(t)).body).toContainEqual(expect.objectContaining({ id, isActive: true }))
})

test('a client that does not exist can neither be switched nor deleted', async () => {
  const t = shared()
  for (const refused of [await toggle(t, 4_242, false), await remove(t, 4_242)])
    expect(refused).toMatchObject({
      status: 404,
      body: { code: 'CLIENT_NOT_FOUND', message: expect.stringContaining('"4242"') },
    })
})

test('deleting a client deletes its keys, tokens and logs, and no others', async () => {
  const t = await testApp()
  const [gone, stays] = [await t.client('gone'), await t.client('stays')]
  for (const bot of [gone, stays])
    await t.call(mxTickerPrice, { query: { symbol: 'BTCUSDT' } }, bot)
  const deleted = await remove(t, gone.id)
  expect([deleted.status, deleted.text]).toEqual([204, ''])

  for (const left of [await list(t), await t.call(listApiKeys), await t.call(listLogs)])
    expect(new Set(left.body.map(({ clientId }) => clientId))).toEqual(new Set(['stays']))
  const stats = (await t.call(getStats)).body
  expect(stats).toMatchObject({ activeTokens: 1, totalRequests: 1 })
})

test('the id of a deleted client can be used again, and its old secret does not work', async () => {
  const t = shared()
  const old = await t.client('used-again')
  await remove(t, old.id)
  const anew = (await create(t, { clientId: 'used-again' })).body
  expect(anew.id).not.toBe(old.id)
  expect((await t.token(old)).statusCode).toBe(401)
  expect((await t.token(anew)).statusCode).toBe(200)
})

test('the list comes in pages, newest first, with the number of all', async () => {
  const t = await testApp()
  for (let n = 1; n <= 5; n += 1) await create(t, { clientId: `bot-${n}` })
  const page = async (query: { limit?: number; before?: number }) => {
    const response = await t.call(listClients, { query })
    expect(response.headers['x-total-count']).toBe('5')
    return response.body.map(({ id }) => id)
  }
  expect(await page({})).toEqual([5, 4, 3, 2, 1])
  expect(await page({ limit: 2 })).toEqual([5, 4])
  expect(await page({ limit: 2, before: 4 })).toEqual([3, 2])
  expect(await page({ limit: 2, before: 2 })).toEqual([1])
  expect(await page({ before: 1 })).toEqual([])
  const { body } = await t.call(listClients, { query: { limit: 1_001 } })
  expect(body).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field: 'limit' }] })
})
