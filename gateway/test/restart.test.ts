import Database from 'better-sqlite3'
import { bgSpotPlaceOrder, getOrderLife, type OrderLife, urlOf } from 'schema'
import { expect, test, vi } from 'vitest'
import { adminHeader, createBotClient, signIn } from './campaign/clients.ts'
import { ownErrorOf } from './support/call.ts'
import { recordIn } from './support/own-record.ts'
import { restarts } from './support/restarts.ts'

// Two processes start, on machines that do other things as well.
vi.setConfig({ testTimeout: 300_000 })

const READS = '/api/v1/private/order/*'
const CREATE = '/mx/api/v1/private/order/create'
const MIX = '/bg/api/v2/mix/order'
const MIX_SCOPE = { productType: 'USDT-FUTURES', symbol: 'ETHUSDT' }
const RESTING = { symbol: 'BTC_USDT', vol: 100, side: 1, type: 1, openType: 2, price: 40000 }
const AT_ONCE = { symbol: 'BTC_USDT', type: 5, openType: 2, leverage: 1, price: 60000 }
const SPOT = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', size: '0.01', price: '50000' }

test('after kill -9 an order whose outcome is unknown is not repeated, has its life, and is in the record once', async () => {
  const { paper, start, databasePath } = await restarts({ UPSTREAM_CONCURRENCY: '4' })
  const first = await start()
  const bot = async (name: string) => {
    const headers = await signIn(first.url, await createBotClient(first.url, paper.accounts, name))
    return (url: string, body: object, more: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      })
  }
  const [resting, atBitget, holder] = [await bot('resting'), await bot('spot'), await bot('holder')]
  const hold = (url: string, order: object) => holder(`${url}${CREATE}`, { ...AT_ONCE, ...order })
  const readOf = async <T>(sql: string): Promise<T[]> => {
    const db = new Database(databasePath, { readonly: true })
    const rows = db.prepare(sql).all()
    db.close()
    return rows as T[]
  }
  const OF_HOLDER = `where client_ref = (select id from clients where client_id = 'holder')`
  const record = async () => {
    const read = await recordIn(
      await readOf(`select * from own_position_orders ${OF_HOLDER} order by id`),
    )
    return { ...read, at: (name: string) => read.rows.filter(({ exchange }) => exchange === name) }
  }
  const keys = { apiKey: 'a-known-key', apiSecret: 'a-known-secret' }
  const account = { ...keys, exchange: 'mx', name: 'known' } as const
  paper.accounts.add({ ...account, futuresBalances: { USDT: '1000000' } })
  const save = async () => {
    const response = await fetch(`${first.url}/api/admin/client-api-keys`, {
      method: 'POST',
      headers: { ...(await adminHeader(first.url)), 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: 'holder', exchange: 'mx', ...keys }),
    })
    expect(response.status).toBe(201)
  }
  await save()
  expect((await hold(first.url, { side: 1, vol: 30 })).status).toBe(200)
  await save()
  for (const symbol of ['ETHUSDT', 'BTCUSDT']) {
    const entry = { side: 'buy', orderType: 'market', size: '0.1', marginMode: 'crossed' }
    const order = { ...MIX_SCOPE, ...entry, symbol, marginCoin: 'USDT' }
    expect((await holder(`${first.url}${MIX}/place-order`, order)).status).toBe(200)
  }
  // The exchanges carry out what comes next, never respond, and MEXC cannot be asked.
  paper.faults.add({ kind: 'timeout-after', match: { method: 'POST' }, times: 5 })
  paper.faults.add({ kind: '5xx', match: { method: 'GET', path: READS }, times: 0 })
  const lost = [
    resting(`${first.url}${CREATE}`, RESTING),
    resting(`${first.url}${CREATE}`, { ...RESTING, externalOid: 'mine' }),
    atBitget(`${first.url}${bgSpotPlaceOrder.path}`, SPOT, { 'idempotency-key': 'k-1' }),
    hold(first.url, { side: 1, vol: 4 }),
    holder(`${first.url}${MIX}/close-positions`, MIX_SCOPE),
  ].map((sent) => sent.catch(() => 'killed'))
  const arrived = () => [...paper.orders('mx'), ...paper.orders('bg')].length
  await expect.poll(arrived, { timeout: 60_000 }).toBe(8)
  await first.kill()
  expect(await Promise.all(lost)).toEqual(Array(5).fill('killed'))
  const written = (await record()).rows
  expect(written.map(({ does, asked }) => `${does} ${asked}`)).toEqual([
    ...['open 30', 'open 0.1', 'open 0.1'],
  ])
  const [before, after] = await readOf<{
    id: number
    exchange: string
    account_ref: number | null
  }>(`select id, exchange, account_ref from api_keys ${OF_HOLDER} order by id`)
  expect(before).toMatchObject({ exchange: 'bg', account_ref: null })
  const { keysRef } = written[0] ?? {}
  expect(after).toMatchObject({ exchange: 'mx', account_ref: keysRef })
  expect(after?.id).toBeGreaterThan(keysRef ?? Number.POSITIVE_INFINITY)

  const next = await start()
  const again = await resting(`${next.url}${CREATE}`, RESTING)
  expect(again.status).toBe(409)
  expect(ownErrorOf(await again.json())).toMatchObject({
    code: 'OUTCOME_PENDING',
    outcome: 'not-sent',
  })
  const headers = await adminHeader(next.url)
  const lifeOf = async (find: string) => {
    const listed = await fetch(`${next.url}/api/admin/orders?find=${find}`, { headers })
    const [{ id }] = (await listed.json()) as [{ id: string }]
    const read = await fetch(`${next.url}${urlOf(getOrderLife, { params: { id } })}`, { headers })
    return (await read.json()) as OrderLife
  }
  const [, id = ''] = /^\/api\/requests\/(.+)$/.exec(`${again.headers.get('location')}`) ?? []
  expect(await lifeOf(id)).toMatchObject({ id, state: 'unknown' })
  const retried = await resting(`${next.url}${CREATE}`, { ...RESTING, externalOid: 'mine' })
  expect(retried.headers.get('idempotency-replayed')).toBe('true')
  expect(ownErrorOf(await retried.json())).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    clientOrderId: 'mine',
  })
  expect(paper.orders('mx')).toHaveLength(4)

  // An order has what was written before it was sent, and what the next process found out.
  await expect
    .poll(async () => (await lifeOf('k-1')).state, { timeout: 60_000, interval: 200 })
    .toBe('resolved')
  const life = await lifeOf('k-1')
  expect(life.events.map(({ type }) => type)).toEqual([
    ...['received', 'checked', 'queued', 'slot', 'sent', 'recovered', 'lookup', 'settled'],
  ])
  expect(life.events.find(({ type }) => type === 'lookup')).toMatchObject({ found: 'found' })
  // The bot got no response, so there is no log row.
  expect(life.logIds).toEqual([])

  // The second order of the holder is found, with its fill.
  paper.faults.clear()
  await expect
    .poll(async () => (await record()).at('mx').map(({ filled }) => filled), { timeout: 60_000 })
    .toEqual(['0', '4'])
  expect((await record()).at('bg')).toMatchObject([
    ...[{ place: 'futures USDT-FUTURES ETHUSDT', does: 'open' }, { does: 'open' }],
    // Nobody knows how much of which side it closed.
    { place: 'futures USDT-FUTURES ETHUSDT', does: 'close', asked: null, side: 'long' },
    { place: 'futures USDT-FUTURES ETHUSDT', does: 'close', asked: null, side: 'short' },
  ])
  expect((await hold(next.url, { side: 4, vol: 3 })).status).toBe(200)
  await next.kill()
  const { at, openOf } = await record()
  expect(at('mx').map(({ does, asked, isFinal }) => [does, asked, isFinal])).toEqual([
    ['open', '30', false],
    ['open', '4', true],
    ['close', '3', false],
  ])
  expect(openOf('mx', 'futures BTC_USDT')).toMatchObject({ open: '1', isCertain: false })
})
