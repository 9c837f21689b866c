import { afterEach, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { sharedApp } from './support/shared-app.ts'

const CLIENTS = '/api/admin/client-credentials'
const shared = sharedApp()

afterEach(() => {
  vi.useRealTimers()
})

const create = ({ app, asAdmin }: TestApp, payload: object) =>
  app.inject({ method: 'POST', url: CLIENTS, headers: asAdmin, payload })
const list = ({ app, asAdmin }: TestApp) => app.inject({ url: CLIENTS, headers: asAdmin })
const toggle = ({ app, asAdmin }: TestApp, id: number | string, isActive: unknown) =>
  app.inject({
    method: 'PATCH',
    url: `${CLIENTS}/${id}/toggle`,
    headers: asAdmin,
    payload: { isActive },
  })
const remove = ({ app, asAdmin }: TestApp, id: number | string) =>
  app.inject({ method: 'DELETE', url: `${CLIENTS}/${id}`, headers: asAdmin })

test('a secret is shown when the client is created and never again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp()
  const created = await create(t, { clientId: 'grid-bot', description: ' Trades the grid ' })
  expect(created.statusCode).toBe(201)
  expect(created.headers['cache-control']).toBe('no-store')
  const { clientSecret, ...client } = created.json()
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
  expect(listed.json()).toEqual([{ ...client, state: 'active', nearestLimit: null }])
  expect(listed.body).not.toContain(clientSecret)
  expect((await toggle(t, 1, false)).body).not.toContain(clientSecret)
})

test('clients are listed newest first', async () => {
  const t = await testApp()
  for (const clientId of ['one', 'two', 'three']) await create(t, { clientId })
  const listed = (await list(t)).json()
  expect(listed.map(({ clientId }: { clientId: string }) => clientId)).toEqual([
    'three',
    'two',
    'one',
  ])
})

test('two clients cannot have the same id', async () => {
  const t = await testApp()
  await create(t, { clientId: 'bot' })
  const second = await create(t, { clientId: 'bot' })
  expect(second.statusCode).toBe(409)
  expect(second.json()).toMatchObject({ code: 'CLIENT_ID_TAKEN' })
  expect(second.json().message).toContain('"bot"')
})

test.each([
  [{}, 'clientId', 'Client ID is required'],
  [{ clientId: '' }, 'clientId', 'Client ID is required'],
  [{ clientId: 'two words' }, 'clientId', expect.any(String)],
  [{ clientId: 'a\nb' }, 'clientId', expect.any(String)],
  [{ clientId: 'x'.repeat(129) }, 'clientId', expect.any(String)],
  [{ clientId: 7 }, 'clientId', expect.any(String)],
  [{ clientId: 'bot', description: 'x'.repeat(201) }, 'description', expect.any(String)],
  [{ clientId: 'bot', clientSecret: 'my own' }, 'clientSecret', 'is not a known field'],
])('the client %j is rejected because of its %s', async (payload, field, message) => {
  const t = shared()
  const rejected = await create(t, payload)
  expect(rejected.statusCode).toBe(400)
  expect(rejected.json()).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field, message }] })
  expect((await list(t)).json()).not.toContainEqual(expect.objectContaining(payload))
})

test('free text is stored unchanged: markup, quotes and scripts in it have no effect', async () => {
  const t = await testApp()
  const description = `<script>alert(1)</script>'"; DROP TABLE clients; -- =1+1 🤖`
  await create(t, { clientId: `a"b'c<d>`, description })
  expect((await list(t)).json()).toMatchObject([{ clientId: `a"b'c<d>`, description }])
})

test('switching returns the current client, and repeating it is no error', async () => {
  const t = await testApp()
  const { id } = (await create(t, { clientId: 'bot' })).json()
  for (const isActive of [false, false, true, true]) {
    const toggled = await toggle(t, id, isActive)
    expect(toggled.statusCode).toBe(200)
    expect(toggled.json()).toMatchObject({ id, clientId: 'bot', isActive })
  }
})

test.each(['yes', 'true', 1, null, undefined])('isActive %j is rejected', async (isActive) => {
  const t = shared()
  const { id } = (await create(t, { clientId: `bot-${isActive}` })).json()
  const rejected = await toggle(t, id, isActive)
  expect(rejected.statusCode).toBe(400)
  expect(rejected.json().fields).toMatchObject([{ field: 'isActive' }])
  expect((await list(t)).json()).toContainEqual(expect.objectContaining({ id, isActive: true }))
})

test.each(['abc', '0', '-1', '1.5', '9007199254740993', '1%27--'])(
  'the invalid database id %s in the address is named in the error',
  async (id) => {
    const t = shared()
    for (const rejected of [await toggle(t, id, false), await remove(t, id)]) {
      expect(rejected.statusCode).toBe(400)
      expect(rejected.json().fields).toMatchObject([{ field: 'id' }])
    }
  },
)

test('a client that does not exist can neither be switched nor deleted', async () => {
  const t = shared()
  for (const rejected of [await toggle(t, 42, false), await remove(t, 42)]) {
    expect(rejected.statusCode).toBe(404)
    expect(rejected.json()).toMatchObject({ code: 'CLIENT_NOT_FOUND' })
    expect(rejected.json().message).toContain('"42"')
  }
})

test('deleting a client deletes its keys, tokens and logs, and no others', async () => {
  const t = await testApp()
  const { app, asAdmin } = t
  const [gone, stays] = [await t.client('gone'), await t.client('stays')]
  for (const { headers } of [gone, stays])
    await app.inject({ url: '/api/v3/ticker/price?symbol=BTCUSDT', headers })
  const deleted = await remove(t, gone.id)
  expect([deleted.statusCode, deleted.body]).toEqual([204, ''])

  const clientsIn = async (url: string) => {
    const rows: { clientId: string }[] = (await app.inject({ url, headers: asAdmin })).json()
    return new Set(rows.map(({ clientId }) => clientId))
  }
  expect(await clientsIn(CLIENTS)).toEqual(new Set(['stays']))
  expect(await clientsIn('/api/admin/api-keys')).toEqual(new Set(['stays']))
  expect(await clientsIn('/api/logs')).toEqual(new Set(['stays']))
  const stats = (await app.inject({ url: '/api/stats', headers: asAdmin })).json()
  expect(stats).toMatchObject({ activeTokens: 1, totalRequests: 1 })
})

test('the id of a deleted client can be used again, and its old secret does not work', async () => {
  const t = await testApp()
  const old = await t.client('bot')
  await remove(t, old.id)
  const anew = (await create(t, { clientId: 'bot' })).json()
  expect(anew.id).not.toBe(old.id)
  expect((await t.token(old)).statusCode).toBe(401)
  expect((await t.token(anew)).statusCode).toBe(200)
})

test('the list comes in pages, newest first, with the number of all', async () => {
  const t = await testApp()
  for (let n = 1; n <= 5; n += 1) await create(t, { clientId: `bot-${n}` })
  const page = async (query: string) => {
    const response = await t.app.inject({
      url: `${CLIENTS}${query}`,
      headers: t.asAdmin,
    })
    expect(response.headers['x-total-count']).toBe('5')
    return response.json().map(({ id }: { id: number }) => id)
  }
  expect(await page('')).toEqual([5, 4, 3, 2, 1])
  expect(await page('?limit=2')).toEqual([5, 4])
  expect(await page('?limit=2&before=4')).toEqual([3, 2])
  expect(await page('?limit=2&before=2')).toEqual([1])
  expect(await page('?before=1')).toEqual([])
  const rejected = await t.app.inject({ url: `${CLIENTS}?limit=1001`, headers: t.asAdmin })
  expect(rejected.json()).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field: 'limit' }] })
})
