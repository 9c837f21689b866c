import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  bitget,
  bitgetKeys,
  callsOf,
  type Fields,
  paperExchange,
  send,
  sharedPaper,
} from './paper.ts'

const paper = sharedPaper()
const { get, post } = callsOf(bitget, paper)

const order = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
  ...{ price: '59000', size: '0.01' },
}
const place = (change: Fields = {}) => post('/spot/trade/place-order', { ...order, ...change })
const cancel = (by: Fields) => post('/spot/trade/cancel-order', { symbol: 'BTCUSDT', ...by })

const rejections: readonly [what: string, change: Record<string, string>, code: string][] = [
  ['an unknown symbol', { symbol: 'NOPEUSDT' }, '40034'],
  ['a halted symbol', { symbol: 'HALTUSDT', price: '1', size: '10' }, '40844'],
  ['an unknown side', { side: 'long' }, '40020'],
  ['an unknown force', { force: 'forever' }, '40020'],
  ['no force', { force: '' }, '40019'],
  ['no size', { size: '' }, '40019'],
  ['no price', { price: '' }, '40019'],
  ['a negative size', { size: '-1' }, '40020'],
  ['too many decimals in the price', { price: '59000.001' }, '40808'],
  ['too many decimals in the size', { size: '0.0100001' }, '40808'],
  ['less than the minimum value', { size: '0.000001' }, '45110'],
  ['a buying price far above the market', { price: '80000' }, '43009'],
  ['more money than there is', { size: '5' }, '43012'],
  ['a client id of 51 characters', { clientOid: 'x'.repeat(51) }, '40304'],
  ['a client id of 65 characters', { clientOid: 'x'.repeat(65) }, '40305'],
  ['a window above 60 s', { receiveWindow: '60001' }, '40079'],
  ['a request time that is past', { requestTime: '1785000000000', receiveWindow: '5000' }, '40078'],
]

test.each(rejections)('Bitget spot rejects an order with %s', async (_what, change, code) => {
  const response = await bitget(paper, 'POST', '/spot/trade/place-order', { ...order, ...change })
  expect(response).toMatchObject({
    status: 400,
    json: { code, data: null, requestTime: expect.any(Number) },
  })
  expect(paper.orders()).toEqual([])
})

test('Bitget spot accepts words in any case and numbers where strings are usual', async () => {
  const loose = { side: 'BUY', orderType: 'Limit', force: 'GTC', price: 59000, size: 0.01 }
  expect((await place(loose)).code).toBe('00000')
})

test('Bitget spot spends the size of a market buy in USDT', async () => {
  const market = { symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '6000' }
  const { orderId } = (await post('/spot/trade/place-order', market)).data
  expect((await get('/spot/trade/orderInfo', { orderId })).data).toMatchObject([
    { status: 'filled', size: '6000', baseVolume: '0.099999', quoteVolume: '5999.94099999' },
  ])
  expect((await get('/spot/trade/fills', { symbol: 'BTCUSDT' })).data).toMatchObject([
    { tradeScope: 'taker', feeDetail: { totalFee: '-0.000099999' } },
  ])
})

test('Bitget spot rejects a client id that an unfilled order has, and takes it again once that is gone', async () => {
  const named = { clientOid: 'same' }
  expect((await place(named)).code).toBe('00000')
  expect((await place(named)).code).toBe('43118')
  await cancel(named)
  expect((await place(named)).code).toBe('00000')
})

test('Bitget spot finds an order by its client id for two hours, and by its own id longer', async () => {
  let nowMs = 1_785_000_000_000
  const paper = await paperExchange({ nowMs: () => nowMs })
  const signed = () => ({ nowMs })
  const old = { ...order, clientOid: 'old' }
  const placed = await bitget(paper, 'POST', '/spot/trade/place-order', old, signed())
  const { orderId } = placed.json.data
  const found = async (by: Record<string, string>) =>
    (await bitget(paper, 'GET', '/spot/trade/orderInfo', by, signed())).json.data.length
  expect([await found({ clientOid: 'old' }), await found({ orderId })]).toEqual([1, 1])
  nowMs += 2 * 3_600_000 + 1
  expect([await found({ clientOid: 'old' }), await found({ orderId })]).toEqual([0, 1])
})

test('Bitget spot distinguishes an unknown order from one that can no longer be cancelled', async () => {
  expect((await cancel({ orderId: '1' })).code).toBe('43001')
  const { orderId } = (await place({ price: '60500' })).data
  expect((await cancel({ orderId })).code).toBe('45055')
})

test('Bitget verifies the signature over the query as it is after decoding', async () => {
  for (const symbol of ['龙虾USDT', '$ALTUSDT']) {
    const raw = await get('/spot/trade/unfilled-orders', { limit: '50', symbol })
    expect(raw.code).toBe('00000')
  }
  const target = `/api/v2/spot/trade/unfilled-orders?symbol=${encodeURIComponent('龙虾USDT')}`
  expect((await sendSigned(paper.url, target, target)).json.code).toBe('40009')
})

test('Bitget rejects a query that is not sorted by name', async () => {
  const { url } = paper
  const path = '/api/v2/spot/trade/unfilled-orders'
  const [sorted, unsorted] = [`${path}?limit=5&symbol=BTCUSDT`, `${path}?symbol=BTCUSDT&limit=5`]
  expect((await sendSigned(url, sorted, sorted)).json.code).toBe('00000')
  expect((await sendSigned(url, unsorted, sorted)).json.code).toBe('40009')
  expect((await sendSigned(url, unsorted, unsorted)).json.code).toBe('40009')
})

function sendSigned(url: string, target: string, signed: string) {
  const timestamp = `${Date.now()}`
  const hmac = createHmac('sha256', bitgetKeys.apiSecret).update(`${timestamp}GET${signed}`)
  return send(`${url}${target}`, {
    headers: {
      ...{ 'access-key': bitgetKeys.apiKey, 'access-passphrase': bitgetKeys.passphrase },
      ...{ 'access-timestamp': timestamp, 'access-sign': hmac.digest('base64') },
    },
  })
}

test('a Bitget key that may only read cannot trade, and an expired or address-bound one is rejected', async () => {
  const paper = await paperExchange({ accounts: [] })
  const add = (apiKey: string, rest: object) => {
    const keys = { ...bitgetKeys, apiKey }
    paper.accounts.add({ exchange: 'bg', ...keys, balances: { USDT: '1000' }, ...rest })
    return { keys }
  }
  const reader = add('reader', { permissions: ['read', 'withdraw'] })
  const placed = await bitget(paper, 'POST', '/spot/trade/place-order', order, reader)
  expect(placed.json.code).toBe('40014')
  const info = async (keys: object) =>
    (await bitget(paper, 'GET', '/spot/account/info', {}, keys)).json
  expect((await info(reader)).data).toMatchObject({
    ...{ authorities: ['readonly', 'withdraw'], ips: '' },
  })
  expect((await info(add('expired', { expired: true }))).code).toBe('40037')
  expect((await info(add('bound', { ipWhitelist: ['203.0.113.9'] }))).code).toBe('40018')
  expect((await info(add('here', { ipWhitelist: ['127.0.0.1'] }))).data.ips).toBe('127.0.0.1')
})

test('Bitget responds 429 to a second account info within a second', async () => {
  const paper = await paperExchange({ monotonicMs: () => 0 })
  expect((await bitget(paper, 'GET', '/spot/account/info')).status).toBe(200)
  expect(await bitget(paper, 'GET', '/spot/account/info')).toMatchObject({
    status: 429,
    json: { code: '429' },
  })
})
