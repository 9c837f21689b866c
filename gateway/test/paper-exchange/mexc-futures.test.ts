import { expect, test } from 'vitest'
import { mexcFutures, mexcKeys, paperExchange, send, sharedPaper } from './paper.ts'

const paper = sharedPaper()

const openLong = { symbol: 'BTC_USDT', side: 1, type: 5, vol: 1000, openType: 2, leverage: 10 }
const restingLong = {
  symbol: 'BTC_USDT',
  side: 1,
  type: 1,
  vol: 10,
  price: 59000,
  openType: 2,
  leverage: 10,
}

test('MEXC futures shows its contracts as an object for one symbol and as a list for all', async () => {
  const { url } = paper
  const one = await send(`${url}/api/v1/contract/detail?symbol=BTC_USDT`)
  expect(one.json).toMatchObject({
    success: true,
    code: 0,
    data: { symbol: 'BTC_USDT', contractSize: 0.0001, minVol: 1, apiAllowed: true },
  })
  expect((await send(`${url}/api/v1/contract/detail`)).json.data.length).toBeGreaterThan(3)
  expect((await send(`${url}/api/v1/contract/ping`)).json.data).toBeTypeOf('number')
  expect((await send(`${url}/api/v1/contract/ticker?symbol=BTC_USDT`)).json.data.lastPrice).toBe(
    60000,
  )
  expect((await send(`${url}/api/v1/contract/depth/BTC_USDT?limit=5`)).json.data.asks).toHaveLength(
    5,
  )
})

test('a MEXC futures order opens a position counted in contracts, and its opposite closes it', async () => {
  const created = await mexcFutures(paper, 'POST', '/order/create', {
    ...openLong,
    externalOid: 'f-1',
  })
  expect(created.json).toMatchObject({
    success: true,
    code: 0,
    data: { orderId: expect.any(String) },
  })
  const order = await mexcFutures(paper, 'GET', '/order/external/BTC_USDT/f-1')
  expect(order.json.data).toMatchObject({ state: 3, dealVol: 1000, externalOid: 'f-1', side: 1 })
  expect(order.json.data.orderId).toBe(created.json.data.orderId)
  const positions = await mexcFutures(paper, 'GET', '/position/open_positions', {
    symbol: 'BTC_USDT',
  })
  expect(positions.json.data).toMatchObject([{ positionType: 1, holdVol: 1000, leverage: 10 }])
  const closed = await mexcFutures(paper, 'POST', '/order/create', { ...openLong, side: 4 })
  expect(closed.json.success).toBe(true)
  expect((await mexcFutures(paper, 'GET', '/position/open_positions')).json.data).toEqual([])
  const asset = await mexcFutures(paper, 'GET', '/account/asset/USDT')
  // Bought at 60000.1, sold at 59999.9, 0.08 % of either.
  expect(asset.json.data).toMatchObject({
    positionMargin: 0,
    frozenBalance: 0,
    availableBalance: 99990.38,
  })
})

test('order ids of MEXC futures exceed 2^53 and are bare numbers where the real ones are', async () => {
  const submitted = await mexcFutures(paper, 'POST', '/order/submit', restingLong)
  const id = /"data":(\d+)}/.exec(submitted.text)?.[1] ?? ''
  expect(BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true)
  const found = await mexcFutures(paper, 'GET', `/order/get/${id}`)
  expect(found.json.data).toMatchObject({ orderId: id, state: 2 })
  const cancelled = await mexcFutures(paper, 'POST', '/order/cancel', [id, '42'])
  expect(cancelled.json.success).toBe(true)
  expect(cancelled.text).toContain(`{"orderId":${id},"errorCode":0,"errorMsg":"success"}`)
  expect(cancelled.text).toContain('{"orderId":42,"errorCode":2040')
  const again = await mexcFutures(paper, 'POST', '/order/cancel', [id])
  expect(again.json.data).toMatchObject([{ errorCode: 2041 }])
})

test('an id that is sent as a JSON number keeps all its digits', async () => {
  const submitted = await mexcFutures(paper, 'POST', '/order/submit', restingLong)
  const id = /"data":(\d+)}/.exec(submitted.text)?.[1] ?? ''
  await mexcFutures(paper, 'POST', '/order/cancel', `[${id}]`)
  expect(paper.orders('mx')).toMatchObject([{ orderId: id, status: 'cancelled' }])
})

test('MEXC futures lists, finds and cancels by external id and all at once', async () => {
  for (const externalOid of ['a', 'b', 'c']) {
    await mexcFutures(paper, 'POST', '/order/create', { ...restingLong, externalOid })
  }
  const open = await mexcFutures(paper, 'GET', '/order/list/open_orders', {
    page_num: 1,
    page_size: 2,
  })
  expect(open.json.data).toMatchObject([{ externalOid: 'c' }, { externalOid: 'b' }])
  const one = { symbol: 'BTC_USDT', externalOid: 'a' }
  expect((await mexcFutures(paper, 'POST', '/order/cancel_with_external', one)).json.success).toBe(
    true,
  )
  expect((await mexcFutures(paper, 'POST', '/order/cancel_with_external', one)).json.code).toBe(
    2041,
  )
  expect((await mexcFutures(paper, 'POST', '/order/cancel_all', {})).json.success).toBe(true)
  const history = await mexcFutures(paper, 'GET', '/order/list/history_orders', {
    symbol: 'BTC_USDT',
  })
  expect(history.json.data).toMatchObject([{ state: 4 }, { state: 4 }, { state: 4 }])
})

test.each(['/order/external/BTC_USDT/nobody', '/order/get/101716841474621954'])(
  'a look-up at MEXC futures that finds no order succeeds without data: %s',
  async (path) => {
    const found = await mexcFutures(paper, 'GET', path)
    expect([found.status, found.text]).toEqual([200, '{"success":true,"code":0}'])
  },
)

test('MEXC futures rejects the external id of an open order with 2042, and takes it again after', async () => {
  const order = { ...restingLong, externalOid: 'same' }
  const place = () => mexcFutures(paper, 'POST', '/order/create', order)
  const first = await place()
  expect((await place()).json).toMatchObject({ success: false, code: 2042, data: null })
  const batch = JSON.stringify([order])
  expect((await mexcFutures(paper, 'POST', '/order/submit_batch', batch)).json.data).toMatchObject([
    { externalOid: 'same', errorCode: 2042 },
  ])
  expect(paper.orders()).toHaveLength(1)
  await mexcFutures(paper, 'POST', '/order/cancel', [first.json.data.orderId])
  const again = await place()
  expect(again.json).toMatchObject({ success: true })
  const found = await mexcFutures(paper, 'GET', '/order/external/BTC_USDT/same')
  expect(found.json.data).toMatchObject({ orderId: again.json.data.orderId, state: 2 })
})

test('MEXC futures can be made to take an id twice, since nobody has met the rejection', async () => {
  const paper = await paperExchange({ habits: { mexcFuturesDuplicates: 'accept' } })
  const order = { ...restingLong, externalOid: 'same' }
  for (let nth = 0; nth < 2; nth++) await mexcFutures(paper, 'POST', '/order/create', order)
  expect(paper.orders()).toHaveLength(2)
})

test('MEXC futures switches modes and leverage, but not the mode while something is held', async () => {
  expect((await mexcFutures(paper, 'GET', '/position/position_mode')).json.data).toBe(1)
  await mexcFutures(paper, 'POST', '/position/change_position_mode', { positionMode: 2 })
  await mexcFutures(paper, 'POST', '/order/create', openLong)
  const rejected = await mexcFutures(paper, 'POST', '/position/change_position_mode', {
    positionMode: 1,
  })
  expect(rejected.json).toMatchObject({ success: false, code: 2019 })
  const held = await mexcFutures(paper, 'GET', '/position/open_positions')
  expect(held.json.data[0].im).toBeCloseTo(600, 0)
  const positionId = /"positionId":(\d+)/.exec(held.text)?.[1] ?? ''
  const change = { positionId, leverage: 20 }
  const changed = await mexcFutures(paper, 'POST', '/position/change_leverage', change)
  expect(changed.json.success).toBe(true)
  const now = await mexcFutures(paper, 'GET', '/position/open_positions')
  expect(now.json.data).toMatchObject([{ leverage: 20, im: held.json.data[0].im / 2 }])
})

test('in one-way mode a sell makes a long smaller and then turns it into a short', async () => {
  const oneWay = { ...openLong, positionMode: 2 }
  await mexcFutures(paper, 'POST', '/order/create', oneWay)
  await mexcFutures(paper, 'POST', '/order/create', { ...oneWay, side: 3, vol: 1500 })
  expect((await mexcFutures(paper, 'GET', '/position/open_positions')).json.data).toMatchObject([
    { positionType: 2, holdVol: 500 },
  ])
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
  const codeOf = async (call: ReturnType<typeof send>) => (await call).json.code
  const assets = (options: object) =>
    codeOf(mexcFutures(paper, 'GET', '/account/assets', {}, options))
  expect(await assets({ keys: { ...mexcKeys, apiSecret: 'other' } })).toBe(602)
  expect(await assets({ keys: { ...mexcKeys, apiKey: 'other' } })).toBe(401)
  expect(await assets({ nowMs: Date.now() - 20_000 })).toBe(513)
  expect(await assets({ nowMs: Date.now() + 20_000 })).toBe(513)
  expect(await assets({ nowMs: Date.now() - 5_000 })).toBe(0)
})

const known = { apiKey: 'mx0-known', apiSecret: 'known-secret' }
// Made with `openssl dgst -sha256 -hmac known-secret` over key, time and the query or body beside
// them.
const knownSignatures: readonly [signed: string, signature: string, code: number][] = [
  [
    'page_num=1&symbol=BTC_USDT',
    'b90b67305cde0180757cbc49fdf13eb3e60e6b7196f77a107fb5f8106080fdd1',
    0,
  ],
  [
    'symbol=BTC_USDT&page_num=1',
    '6673f771670685ae6f903ecf1a33f54edf0aaabf353fc4e44f7c7e79f18ce867',
    602,
  ],
  [
    'page_num=2&symbol=BTC_USDT',
    'b90b67305cde0180757cbc49fdf13eb3e60e6b7196f77a107fb5f8106080fdd1',
    602,
  ],
  ['{"symbol":"BTC_USDT"}', '5b5712acbb960f70c34cd72f92830ab2c85cc1e3260485a95149407b2abb4331', 0],
  [
    '{"symbol": "BTC_USDT"}',
    '5b5712acbb960f70c34cd72f92830ab2c85cc1e3260485a95149407b2abb4331',
    602,
  ],
]

test.each(knownSignatures)(
  'MEXC futures judges %s by its exact bytes',
  async (signed, signature, code) => {
    const accounts = [{ exchange: 'mx', ...known, balances: {} }] as const
    const { url } = await paperExchange({ accounts, nowMs: () => 1_785_000_000_000 })
    const headers = {
      apikey: known.apiKey,
      'request-time': '1785000000000',
      signature,
      'content-type': 'application/json',
    }
    const response = signed.startsWith('{')
      ? await send(`${url}/api/v1/private/order/cancel_all`, {
          method: 'POST',
          headers,
          body: signed,
        })
      : await send(`${url}/api/v1/private/order/list/history_orders?${signed}`, { headers })
    expect(response.json.code).toBe(code)
  },
)

test('a read-only MEXC futures key gets the name of the missing permission', async () => {
  const reader = { exchange: 'mx', ...mexcKeys, permissions: ['read'] } as const
  const paper = await paperExchange({ accounts: [reader] })
  expect((await mexcFutures(paper, 'POST', '/order/create', restingLong)).json.code).toBe(704)
  const mode = { positionMode: 2 }
  expect((await mexcFutures(paper, 'POST', '/position/change_position_mode', mode)).json.code).toBe(
    702,
  )
  expect((await mexcFutures(paper, 'GET', '/account/assets')).json.success).toBe(true)
})

test('MEXC futures responds with code 510 with HTTP 200 to a fifth order within two seconds', async () => {
  const paper = await paperExchange({ monotonicMs: () => 0 })
  const codes: number[] = []
  for (let sent = 0; sent < 5; sent++) {
    codes.push((await mexcFutures(paper, 'POST', '/order/create', restingLong)).json.code)
  }
  expect(codes).toEqual([0, 0, 0, 0, 510])
})

test('unknown paths of MEXC futures are 404 in its own form', async () => {
  const { url } = paper
  expect(await send(`${url}/api/v1/private/account/transfer`, { method: 'POST' })).toMatchObject({
    status: 404,
    json: { success: false, code: 404 },
  })
})
