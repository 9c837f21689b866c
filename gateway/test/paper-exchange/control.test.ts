import { expect, test } from 'vitest'
import {
  bitget,
  bitgetKeys,
  control,
  mexcFutures,
  mexcKeys,
  mexcSpot,
  paperExchange,
  send,
} from './paper.ts'

const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '59000' }

test('the control interface lists what arrived and when, in order, without secrets', async () => {
  const paper = await paperExchange()
  const beforeMs = Date.now()
  await mexcSpot(paper, 'POST', '/order', order)
  await bitget(paper, 'POST', '/spot/trade/place-order', { symbol: 'BTCUSDT' })
  await mexcFutures(paper, 'GET', '/account/assets')
  const { json, text } = await send(`${paper.url}/paper/received`)
  const ofMexc = { exchange: 'mx', account: 'mexc', status: 200 }
  const [orders, place] = ['/api/v3/order', '/api/v2/spot/trade/place-order']
  expect(json).toMatchObject([
    { ...ofMexc, seq: 1, method: 'POST', path: orders },
    { seq: 2, exchange: 'bg', path: place, body: '{"symbol":"BTCUSDT"}', status: 400 },
    { ...ofMexc, seq: 3, path: '/api/v1/private/account/assets' },
  ])
  expect(json[0].query).toMatch(/^symbol=BTCUSDT&.*&timestamp=\d{13}$/)
  expect(json[0].arrivedAtMs).toBeGreaterThanOrEqual(beforeMs)
  expect(json[1].arrivedAtMonotonicMs).toBeGreaterThan(json[0].arrivedAtMonotonicMs)
  const names = ['signature', 'access-sign']
  for (const secret of [...Object.values(mexcKeys), ...Object.values(bitgetKeys), ...names])
    expect(text).not.toContain(secret)
})

test('what arrived is filtered by exchange, path and number, and can be forgotten', async () => {
  const paper = await paperExchange()
  await send(`${paper.url}/api/v3/time`)
  await send(`${paper.url}/api/v3/ticker/price`)
  await send(`${paper.url}/api/v2/public/time`)
  const seqs = async (query: string) =>
    (await send(`${paper.url}/paper/received?${query}`)).json.map(({ seq }: { seq: number }) => seq)
  expect(await seqs('exchange=bg')).toEqual([3])
  expect(await seqs('path=/api/v3/*')).toEqual([1, 2])
  expect(await seqs('path=/api/v3/time')).toEqual([1])
  expect(await seqs('since=1')).toEqual([2, 3])
  expect((await send(`${paper.url}/paper/received`, { method: 'DELETE' })).status).toBe(204)
  expect(paper.received()).toEqual([])
})

test('over HTTP an account is opened, a price set, the exchange ticked and a fault made', async () => {
  const paper = await paperExchange({ accounts: [] })
  const account = { exchange: 'mx', name: 'new', ...mexcKeys, balances: { USDT: '1000' } }
  const opened = await control(paper, 'accounts', account)
  expect(opened).toMatchObject({
    status: 201,
    json: { name: 'new', balances: [{ coin: 'USDT', free: '1000' }] },
  })
  expect(opened.text).not.toContain(mexcKeys.apiSecret)
  expect((await control(paper, 'accounts', account)).status).toBe(400)
  await mexcSpot(paper, 'POST', '/order', order)
  expect((await control(paper, 'price', { symbol: 'BTC_USDT', price: '58000' })).status).toBe(204)
  expect((await control(paper, 'tick')).status).toBe(204)
  expect((await send(`${paper.url}/paper/orders?exchange=mx`)).json).toMatchObject([
    {
      ...{ exchange: 'mx', account: 'new', market: 'spot', symbol: 'BTCUSDT' },
      ...{ status: 'filled', price: '59000' },
    },
  ])
  expect((await control(paper, 'faults', { kind: '5xx' })).status).toBe(201)
  expect((await send(`${paper.url}/api/v3/time`)).status).toBe(500)
})

test('the control interface rejects what it does not understand', async () => {
  const paper = await paperExchange()
  const get = (path: string) => send(`${paper.url}/paper/${path}`)
  const price = (fields: object) => control(paper, 'price', { symbol: 'BTCUSDT', ...fields })
  expect((await control(paper, 'faults', { kind: 'earthquake' })).status).toBe(400)
  expect((await price({ symbol: 'NOPE', price: '1' })).json.code).toBe('PAPER_CONTROL_INPUT')
  expect((await price({ price: '-1' })).status).toBe(400)
  expect((await get('orders?exchange=xx')).status).toBe(400)
  expect((await get('received?since=soon')).status).toBe(400)
  expect((await get('orders?exchange=mx&side=buy')).status).toBe(200)
  const message = 'body must have required properties price'
  expect(await price({ prize: '1' })).toMatchObject({ status: 400, json: { message } })
  const json = { code: 'PAPER_ROUTE_NOT_FOUND' }
  expect(await get('nowhere')).toMatchObject({ status: 404, json })
})

test('a reset restores the first prices and balances and removes orders, faults and requests', async () => {
  const paper = await paperExchange()
  await mexcSpot(paper, 'POST', '/order', { ...order, price: '61000' })
  paper.setPrice('BTCUSDT', '1')
  paper.faults.add({ kind: '5xx', times: 0 })
  expect((await control(paper, 'reset')).status).toBe(204)
  expect([paper.orders(), paper.received(), paper.faults.list()]).toEqual([[], [], []])
  expect((await send(`${paper.url}/api/v3/ticker/price?symbol=BTCUSDT`)).json.price).toBe('60000')
  expect(paper.accounts.list()[0]?.balances).toContainEqual({ coin: 'BTC', free: '2', locked: '0' })
})

test('the prices walk with the clock, the same way for the same seed', async () => {
  let nowMs = 1_785_000_000_000
  const walk = { seed: 7, stepMs: 1_000, stepRatio: '0.001' }
  const one = await paperExchange({ nowMs: () => nowMs, walk })
  const other = await paperExchange({ nowMs: () => nowMs, walk })
  const price = async (url: string) =>
    (await send(`${url}/api/v3/ticker/price?symbol=BTCUSDT`)).json.price
  one.tick()
  expect(await price(one.url)).toBe('60000')
  nowMs += 10_000
  one.tick()
  for (let second = 0; second < 3; second++) other.tick()
  expect(await price(one.url)).not.toBe('60000')
  expect(await price(other.url)).toBe(await price(one.url))
})

test("requests that the HTTP server rejects get the exchange's error form, and malformed paths do no harm", async () => {
  const { url } = await paperExchange()
  const body = 'x'.repeat(2 * 1024 * 1024)
  const large = await send(`${url}/api/v2/spot/trade/place-order`, { method: 'POST', body })
  expect(large).toMatchObject({ status: 413, json: { data: null } })
  expect((await send(`${url}/api/v3/%`)).status).toBeLessThan(500)
  expect((await send(`${url}/nothing`)).status).toBe(404)
  expect((await send(`${url}/api/v3/time`)).status).toBe(200)
})
