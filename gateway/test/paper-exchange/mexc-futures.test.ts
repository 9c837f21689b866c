import { expect, test } from 'vitest'
import { callsOf, mexcFutures, mexcKeys, paperExchange, send, sharedPaper } from './paper.ts'

const paper = sharedPaper()
const { get, post } = callsOf(mexcFutures, paper)

const openLong = { symbol: 'BTC_USDT', side: 1, type: 5, vol: 1000, openType: 2, leverage: 10 }
const restingLong = { ...openLong, type: 1, vol: 10, price: 59000 }
const done = { success: true }

const place = (fields: object) => post('/order/create', { ...fields })
const held = () => get('/position/open_positions')

test('MEXC futures shows its contracts as an object for one symbol and as a list for all', async () => {
  const open = async (path: string) => (await send(`${paper.url}/api/v1/contract/${path}`)).json
  expect(await open('detail?symbol=BTC_USDT')).toMatchObject({
    ...{ success: true, code: 0 },
    data: { symbol: 'BTC_USDT', contractSize: 0.0001, minVol: 1, apiAllowed: true },
  })
  expect((await open('detail')).data.length).toBeGreaterThan(3)
  expect((await open('ping')).data).toBeTypeOf('number')
  expect((await open('ticker?symbol=BTC_USDT')).data.lastPrice).toBe(60000)
  expect((await open('depth/BTC_USDT?limit=5')).data.asks).toHaveLength(5)
})

test('a MEXC futures order opens a position counted in contracts, and its opposite closes it', async () => {
  const created = await place({ ...openLong, externalOid: 'f-1' })
  expect(created).toMatchObject({ ...done, code: 0, data: { orderId: expect.any(String) } })
  const { orderId } = created.data
  expect((await get('/order/external/BTC_USDT/f-1')).data).toMatchObject({
    ...{ state: 3, dealVol: 1000, externalOid: 'f-1', side: 1, orderId },
  })
  const positions = await get('/position/open_positions', { symbol: 'BTC_USDT' })
  expect(positions.data).toMatchObject([{ positionType: 1, holdVol: 1000, leverage: 10 }])
  expect(await place({ ...openLong, side: 4 })).toMatchObject(done)
  expect((await held()).data).toEqual([])
  // Bought at 60000.1, sold at 59999.9, 0.08 % of either.
  expect((await get('/account/asset/USDT')).data).toMatchObject({
    ...{ positionMargin: 0, frozenBalance: 0, availableBalance: 99990.38 },
  })
})

test('order ids of MEXC futures exceed 2^53 and are bare numbers where the real ones are, in both directions', async () => {
  const submit = async () => {
    const submitted = await mexcFutures(paper, 'POST', '/order/submit', restingLong)
    return /"data":(\d+)}/.exec(submitted.text)?.[1] ?? ''
  }
  const id = await submit()
  expect(BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true)
  expect((await get(`/order/get/${id}`)).data).toMatchObject({ orderId: id, state: 2 })
  const cancelled = await mexcFutures(paper, 'POST', '/order/cancel', [id, '42'])
  expect(cancelled.json).toMatchObject(done)
  expect(cancelled.text).toContain(`{"orderId":${id},"errorCode":0,"errorMsg":"success"}`)
  expect(cancelled.text).toContain('{"orderId":42,"errorCode":2040')
  expect((await post('/order/cancel', [id])).data).toMatchObject([{ errorCode: 2041 }])
  const another = await submit()
  await post('/order/cancel', `[${another}]`)
  expect(paper.orders('mx')).toContainEqual(
    expect.objectContaining({ orderId: another, status: 'cancelled' }),
  )
})

test('MEXC futures lists, finds and cancels by external id and all at once', async () => {
  for (const externalOid of ['a', 'b', 'c']) await place({ ...restingLong, externalOid })
  const open = await get('/order/list/open_orders', { page_num: 1, page_size: 2 })
  expect(open.data).toMatchObject([{ externalOid: 'c' }, { externalOid: 'b' }])
  const one = { symbol: 'BTC_USDT', externalOid: 'a' }
  expect(await post('/order/cancel_with_external', one)).toMatchObject(done)
  expect(await post('/order/cancel_with_external', one)).toMatchObject({ code: 2041 })
  expect(await post('/order/cancel_all', {})).toMatchObject(done)
  const history = await get('/order/list/history_orders', { symbol: 'BTC_USDT' })
  expect(history.data).toMatchObject([{ state: 4 }, { state: 4 }, { state: 4 }])
})

test.each(['/order/external/BTC_USDT/nobody', '/order/get/101716841474621954'])(
  'a look-up at MEXC futures that finds no order succeeds without data: %s',
  async (path) => {
    const { status, text } = await mexcFutures(paper, 'GET', path)
    expect([status, text]).toEqual([200, '{"success":true,"code":0}'])
  },
)

test('MEXC futures rejects the external id of an open order with 2042, and takes it again after', async () => {
  const order = { ...restingLong, externalOid: 'same' }
  const first = await place(order)
  expect(await place(order)).toMatchObject({ success: false, code: 2042, data: null })
  const batch = await post('/order/submit_batch', JSON.stringify([order]))
  expect(batch.data).toMatchObject([{ externalOid: 'same', errorCode: 2042 }])
  expect(paper.orders()).toHaveLength(1)
  await post('/order/cancel', [first.data.orderId])
  const again = await place(order)
  expect(again).toMatchObject(done)
  const { orderId } = again.data
  const found = await get('/order/external/BTC_USDT/same')
  expect(found.data).toMatchObject({ orderId, state: 2 })
})

test('MEXC futures can be made to take an id twice, since nobody has met the rejection', async () => {
  const paper = await paperExchange({ habits: { mexcFuturesDuplicates: 'accept' } })
  const order = { ...restingLong, externalOid: 'same' }
  for (let nth = 0; nth < 2; nth++) await mexcFutures(paper, 'POST', '/order/create', order)
  expect(paper.orders()).toHaveLength(2)
})

test('MEXC futures switches modes and leverage, but not the mode while something is held', async () => {
  const toMode = (positionMode: number) => post('/position/change_position_mode', { positionMode })
  expect((await get('/position/position_mode')).data).toBe(1)
  await toMode(2)
  await place(openLong)
  expect(await toMode(1)).toMatchObject({ success: false, code: 2019 })
  const { text, json } = await mexcFutures(paper, 'GET', '/position/open_positions')
  expect(json.data[0].im).toBeCloseTo(600, 0)
  const positionId = /"positionId":(\d+)/.exec(text)?.[1] ?? ''
  expect(await post('/position/change_leverage', { positionId, leverage: 20 })).toMatchObject(done)
  expect((await held()).data).toMatchObject([{ leverage: 20, im: json.data[0].im / 2 }])
})

test('in one-way mode a sell makes a long smaller and then turns it into a short', async () => {
  const oneWay = { ...openLong, positionMode: 2 }
  await place(oneWay)
  await place({ ...oneWay, side: 3, vol: 1500 })
  expect((await held()).data).toMatchObject([{ positionType: 2, holdVol: 500 }])
})

const rejections: readonly [what: string, change: Record<string, unknown>, code: number][] = [
  ['an unknown contract', { symbol: 'NOPE_USDT' }, 1001],
  ['a contract that is closed to the API', { symbol: 'HALT_USDT', price: 1 }, 1002],
  ['an unknown side', { side: 5 }, 2001],
  ['an unknown type', { type: 9 }, 2029],
  ['an unknown open type', { openType: 3 }, 2002],
  ['half a contract', { vol: 0.5 }, 2011],
  ['no contracts', { vol: undefined }, 2011],
  ['a price between two ticks', { price: 59000.05 }, 2015],
  ['a price far above the market', { price: 90000 }, 2003],
  ['no price', { price: undefined }, 2007],
  ['too much leverage', { leverage: 500 }, 2006],
  ['isolated margin without leverage', { openType: 1, leverage: undefined }, 2006],
  ['more than the margin allows', { vol: 900000 }, 2005],
  ['a long to close where none is', { side: 4 }, 2009],
  ['an external id of 33 characters', { externalOid: 'x'.repeat(33) }, 2030],
  ['reduceOnly in hedge mode', { reduceOnly: true }, 600],
]

test.each(rejections)('MEXC futures rejects an order with %s', async (_what, change, code) => {
  const body = JSON.parse(JSON.stringify({ ...restingLong, ...change }))
  const response = await mexcFutures(paper, 'POST', '/order/create', body)
  expect(response).toMatchObject({ status: 200, json: { success: false, code, data: null } })
  expect(paper.orders()).toEqual([])
})

test('MEXC futures rejects a wrong signature, an unsorted query, an old time and an unknown key', async () => {
  const assets = async (options: object) =>
    (await mexcFutures(paper, 'GET', '/account/assets', {}, options)).json.code
  expect(await assets({ keys: { ...mexcKeys, apiSecret: 'other' } })).toBe(602)
  expect(await assets({ keys: { ...mexcKeys, apiKey: 'other' } })).toBe(401)
  expect(await assets({ nowMs: Date.now() - 20_000 })).toBe(513)
  expect(await assets({ nowMs: Date.now() + 20_000 })).toBe(513)
  expect(await assets({ nowMs: Date.now() - 5_000 })).toBe(0)
})

const known = { apiKey: 'mx0-known', apiSecret: 'known-secret' }
// Made with `openssl dgst -sha256 -hmac known-secret` over key, time and the query or body beside
// them.
const OF_QUERY = 'b90b67305cde0180757cbc49fdf13eb3e60e6b7196f77a107fb5f8106080fdd1'
const OF_UNSORTED = '6673f771670685ae6f903ecf1a33f54edf0aaabf353fc4e44f7c7e79f18ce867'
const OF_BODY = '5b5712acbb960f70c34cd72f92830ab2c85cc1e3260485a95149407b2abb4331'

test.each([
  ['page_num=1&symbol=BTC_USDT', OF_QUERY, 0],
  ['symbol=BTC_USDT&page_num=1', OF_UNSORTED, 602],
  ['page_num=2&symbol=BTC_USDT', OF_QUERY, 602],
  ['{"symbol":"BTC_USDT"}', OF_BODY, 0],
  ['{"symbol": "BTC_USDT"}', OF_BODY, 602],
])('MEXC futures judges %s by its exact bytes', async (signed, signature, code) => {
  const accounts = [{ exchange: 'mx', ...known, balances: {} }] as const
  const { url } = await paperExchange({ accounts, nowMs: () => 1_785_000_000_000 })
  const headers = {
    ...{ apikey: known.apiKey, 'request-time': '1785000000000', signature },
    'content-type': 'application/json',
  }
  const orders = `${url}/api/v1/private/order`
  const response = signed.startsWith('{')
    ? await send(`${orders}/cancel_all`, { method: 'POST', headers, body: signed })
    : await send(`${orders}/list/history_orders?${signed}`, { headers })
  expect(response.json.code).toBe(code)
})

test('a read-only MEXC futures key gets the name of the missing permission', async () => {
  const reader = { exchange: 'mx', ...mexcKeys, permissions: ['read'] } as const
  const { get, post } = callsOf(mexcFutures, await paperExchange({ accounts: [reader] }))
  expect((await post('/order/create', restingLong)).code).toBe(704)
  expect((await post('/position/change_position_mode', { positionMode: 2 })).code).toBe(702)
  expect(await get('/account/assets')).toMatchObject(done)
})

test('MEXC futures responds with code 510 with HTTP 200 to a fifth order within two seconds', async () => {
  const { post } = callsOf(mexcFutures, await paperExchange({ monotonicMs: () => 0 }))
  const codes: number[] = []
  for (let nth = 0; nth < 5; nth++) codes.push((await post('/order/create', restingLong)).code)
  expect(codes).toEqual([0, 0, 0, 0, 510])
})
