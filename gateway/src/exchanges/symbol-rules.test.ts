import { expect, test } from 'vitest'
import type { RejectionClass, Verdict } from './protocol/verdict.ts'
import { readRules, rulesCall } from './public-data.ts'
import { fromContracts, type RulesKey } from './symbol-rules.ts'

const ok = (data: unknown): Verdict => ({ kind: 'ok', data })
const rejected = (of: RejectionClass, exchangeCode: string): Verdict => ({
  ...{ kind: 'rejected', rejection: { class: of, exchangeCode, exchangeMessage: '' } },
})
const mxSpot: RulesKey = { exchange: 'mx', market: 'spot', symbol: 'BTCUSDT' }
const mxFutures: RulesKey = { exchange: 'mx', market: 'futures', symbol: 'BTC_USDT' }
const bgSpot: RulesKey = { exchange: 'bg', market: 'spot', symbol: 'BTCUSDT' }
const bgFutures: RulesKey = { exchange: 'bg', market: 'futures', symbol: 'BTCUSDT' }

const coins = { baseCoin: 'BTC', quoteCoin: 'USDT' }
const mxSpotEntry = {
  ...{ symbol: 'BTCUSDT', status: '1', tradeSideType: 1, isSpotTradingAllowed: true },
  ...{ baseAsset: 'BTC', baseAssetPrecision: 6, baseSizePrecision: '0.00001' },
  ...{ quoteAsset: 'USDT', quoteAssetPrecision: 2, quoteAmountPrecision: '1.000000' },
  maxQuoteAmount: '2000000.00',
}
const mxContract = {
  ...{ ...coins, symbol: 'BTC_USDT', settleCoin: 'USDT', state: 0, apiAllowed: true },
  ...{ contractSize: '0.0001', minVol: 1, maxVol: 1_000_000, volUnit: 1, priceUnit: '0.1' },
  ...{ minLeverage: 1, maxLeverage: 200 },
}
const bgSpotEntry = {
  ...{ ...coins, symbol: 'BTCUSDT', status: 'online', minTradeUSDT: '1', minTradeAmount: '0' },
  ...{ pricePrecision: '2', quantityPrecision: '6', quotePrecision: '8' },
}
const bgContract = {
  ...{ ...coins, symbol: 'BTCUSDT', symbolStatus: 'normal', sizeMultiplier: '0.001' },
  ...{ minTradeNum: '0.001', minTradeUSDT: '5', maxOrderQty: '1200', maxMarketOrderQty: '220' },
  ...{ pricePlace: '1', priceEndStep: '5', minLever: '1', maxLever: '125' },
}
const spotPair = (change: object) => ({ symbols: [{ ...mxSpotEntry, ...change }] })
const open = { symbol: 'BTCUSDT', market: 'spot', ...coins, tradable: true }
const openContract = { ...open, symbol: 'BTC_USDT', market: 'futures' }

test('MEXC spot rules are read although two of their names say precision and mean minimum', () => {
  expect(readRules(mxSpot, ok(spotPair({})))).toEqual({
    ...{ ...open, minSize: '0.00001', sizeStep: '0.000001', priceTick: '0.01' },
    ...{ minValue: '1', maxValue: '2000000' },
  })
})

test('MEXC contracts are turned into base coin amounts', () => {
  const wanted = {
    ...{ ...openContract, contractSize: '0.0001', sizeStep: '0.0001', minSize: '0.0001' },
    ...{ maxSize: '100', priceTick: '0.1', minLeverage: 1, maxLeverage: 200 },
  }
  expect(readRules(mxFutures, ok(mxContract))).toEqual(wanted)
  expect(readRules(mxFutures, ok([{ symbol: 'ETH_USDT' }, mxContract]))).toEqual(wanted)
})

test('Bitget spot rules say that a market buy is an amount of the quote coin', () => {
  expect(readRules(bgSpot, ok([bgSpotEntry]))).toEqual({
    ...{ ...open, minSize: '0.000001', sizeStep: '0.000001', priceTick: '0.01' },
    ...{ quoteStep: '0.00000001', minValue: '1' },
  })
})

test('Bitget contract rules have a tick of several last digits', () => {
  expect(readRules(bgFutures, ok([bgContract]))).toEqual({
    ...{ ...openContract, symbol: 'BTCUSDT', minSize: '0.001', sizeStep: '0.001' },
    ...{ maxSize: '1200', maxMarketSize: '220', priceTick: '0.5', minValue: '5' },
    ...{ minLeverage: 1, maxLeverage: 125 },
  })
})

test.each<[orderTypes: unknown, open: string | undefined]>([
  [['LIMIT', 'MARKET', 'LIMIT_MAKER'], 'limit market'],
  [['LIMIT', 'LIMIT_MAKER'], 'limit'],
  [[], undefined],
  [['SOMETHING_NEW'], undefined],
  ['LIMIT', undefined],
  [null, undefined],
])('the order types %j of a MEXC spot pair are read as %s', (orderTypes, open) => {
  expect(readRules(mxSpot, ok(spotPair({ orderTypes })))?.orderTypes?.join(' ')).toBe(open)
})

test.each<[what: string, key: RulesKey, data: unknown, whyNot: string]>([
  ['paused', mxSpot, spotPair({ status: '2' }), 'is paused by the exchange'],
  ['offline', mxSpot, spotPair({ status: 3 }), 'is offline at the exchange'],
  ['no spot', mxSpot, spotPair({ isSpotTradingAllowed: false }), 'is not open for spot orders'],
  ['closed', mxSpot, spotPair({ tradeSideType: '4' }), 'is closed for both sides'],
  ['no API', mxFutures, { ...mxContract, apiAllowed: false }, 'is closed to API trading'],
  ['delivered', mxFutures, { ...mxContract, state: 2 }, 'has been delivered'],
  [
    ...(['coin-margined', mxFutures, { ...mxContract, settleCoin: 'BTC' }] as const),
    'is settled in BTC; order it by contracts through /mx/api/v1/private/order/create',
  ],
  ['halted', bgSpot, [{ ...bgSpotEntry, status: 'halt' }], 'is not open for orders (halt)'],
  [
    ...(['restricted', bgFutures, [{ ...bgContract, symbolStatus: 'restrictedAPI' }]] as const),
    'is not open for orders (restrictedAPI)',
  ],
])('a symbol that is %s is not tradable, and why is said', (_what, key, data, whyNot) => {
  expect(readRules(key, ok(data))).toMatchObject({ tradable: false, whyNot })
})

test('a pair that is open to one side only says which', () => {
  const only = (tradeSideType: string) =>
    readRules(mxSpot, ok(spotPair({ tradeSideType })))?.onlySide
  expect([only('1'), only('2'), only('3')]).toEqual([undefined, 'buy', 'sell'])
})

test('a smallest value in USDT is not taken for one in another coin', () => {
  const rules = readRules(bgSpot, ok([{ ...bgSpotEntry, quoteCoin: 'BTC' }]))
  expect(rules).not.toHaveProperty('minValue')
})

test.each<[RulesKey, Verdict]>([
  [mxSpot, ok({ symbols: [] })],
  [mxSpot, ok([])],
  [mxFutures, ok(null)],
  [bgSpot, ok([])],
  [bgFutures, ok('x')],
  [bgSpot, ok([{ ...bgSpotEntry, symbol: 'ETHUSDT' }])],
  [mxFutures, rejected('symbol', '1001')],
  [bgSpot, rejected('parameter', '40034')],
])('an unknown symbol has no rules: %j %j', (key, verdict) => {
  expect(readRules(key, verdict)).toBeUndefined()
})

test.each<[RulesKey, unknown]>([
  [mxSpot, spotPair({ baseAssetPrecision: 'x' })],
  [mxFutures, { ...mxContract, contractSize: 0 }],
  [bgSpot, [{ ...bgSpotEntry, pricePrecision: null }]],
  [bgFutures, [{ ...bgContract, sizeMultiplier: '' }]],
])('rules without what an order needs are reported, not guessed: %j', (key, data) => {
  expect(() => readRules(key, ok(data))).toThrow(
    expect.objectContaining({ code: 'EXCHANGE_RULES_UNREADABLE', statusCode: 502, sent: false }),
  )
})

test('an exchange that does not respond clearly has no unknown symbols', () => {
  expect(() => readRules(bgSpot, { kind: 'unknown', why: 'It responded with HTTP 503' })).toThrow(
    'Bitget sent no clear response: It responded with HTTP 503',
  )
})

test.each([
  [mxSpot, '/api/v3/exchangeInfo', 'symbol=BTCUSDT'],
  [mxFutures, '/api/v1/contract/detail', 'symbol=BTC_USDT'],
  [bgSpot, '/api/v2/spot/public/symbols', 'symbol=BTCUSDT'],
  [bgFutures, '/api/v2/mix/market/contracts', 'productType=USDT-FUTURES&symbol=BTCUSDT'],
])('rules of %j are asked at %s without a key', (key, path, query) => {
  expect(rulesCall(key)).toMatchObject({ method: 'GET', path, query, signed: false })
})

test.each([
  [{}, '0.01'],
  [{ quoteCoin: 'USD', settleCoin: 'BTC' }, undefined],
])('100 contracts with %j are %s of the base coin', (change, size) => {
  const rules = readRules(mxFutures, ok({ ...mxContract, ...change }))
  expect(rules && fromContracts(rules, '100')).toBe(size)
})
