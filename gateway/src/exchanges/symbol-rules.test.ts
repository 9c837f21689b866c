import { expect, test } from 'vitest'
import type { Verdict } from './protocol/verdict.ts'
import type { RulesKey } from './symbol-rules.ts'
import { readRules, rulesCall } from './symbol-rules.ts'

const ok = (data: unknown): Verdict => ({ kind: 'ok', data })
const mxSpot: RulesKey = { exchange: 'mx', market: 'spot', symbol: 'BTCUSDT' }
const mxFutures: RulesKey = { exchange: 'mx', market: 'futures', symbol: 'BTC_USDT' }
const bgSpot: RulesKey = { exchange: 'bg', market: 'spot', symbol: 'BTCUSDT' }
const bgFutures: RulesKey = { exchange: 'bg', market: 'futures', symbol: 'BTCUSDT' }

const mxSpotEntry = {
  symbol: 'BTCUSDT',
  status: '1',
  baseAsset: 'BTC',
  baseAssetPrecision: 6,
  quoteAsset: 'USDT',
  quoteAssetPrecision: 2,
  baseSizePrecision: '0.00001',
  quoteAmountPrecision: '1.000000',
  maxQuoteAmount: '2000000.00',
  isSpotTradingAllowed: true,
  tradeSideType: 1,
}
const mxContract = {
  symbol: 'BTC_USDT',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  settleCoin: 'USDT',
  contractSize: '0.0001',
  minVol: 1,
  maxVol: 1_000_000,
  volUnit: 1,
  priceUnit: '0.1',
  minLeverage: 1,
  maxLeverage: 200,
  state: 0,
  apiAllowed: true,
}
const bgSpotEntry = {
  symbol: 'BTCUSDT',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  status: 'online',
  pricePrecision: '2',
  quantityPrecision: '6',
  quotePrecision: '8',
  minTradeUSDT: '1',
  minTradeAmount: '0',
}
const bgContract = {
  symbol: 'BTCUSDT',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  minTradeNum: '0.001',
  sizeMultiplier: '0.001',
  pricePlace: '1',
  priceEndStep: '5',
  minTradeUSDT: '5',
  maxOrderQty: '1200',
  maxMarketOrderQty: '220',
  minLever: '1',
  maxLever: '125',
  symbolStatus: 'normal',
}

test('MEXC spot rules are read although two of their names say precision and mean minimum', () => {
  expect(readRules(mxSpot, ok({ symbols: [mxSpotEntry] }))).toEqual({
    symbol: 'BTCUSDT',
    market: 'spot',
    baseCoin: 'BTC',
    quoteCoin: 'USDT',
    tradable: true,
    minSize: '0.00001',
    sizeStep: '0.000001',
    priceTick: '0.01',
    minValue: '1',
    maxValue: '2000000',
  })
})

test.each([
  [
    ['LIMIT', 'MARKET', 'LIMIT_MAKER'],
    ['limit', 'market'],
  ],
  [['LIMIT', 'LIMIT_MAKER'], ['limit']],
  [[], undefined],
  [['SOMETHING_NEW'], undefined],
  ['LIMIT', undefined],
  [null, undefined],
])('the order types %j of a MEXC spot pair are read as %j', (orderTypes, open) => {
  const rules = readRules(mxSpot, ok({ symbols: [{ ...mxSpotEntry, orderTypes }] }))
  expect(rules?.orderTypes).toEqual(open)
})

test('MEXC contracts are turned into base coin amounts', () => {
  const wanted = {
    symbol: 'BTC_USDT',
    market: 'futures',
    baseCoin: 'BTC',
    quoteCoin: 'USDT',
    tradable: true,
    contractSize: '0.0001',
    sizeStep: '0.0001',
    minSize: '0.0001',
    maxSize: '100',
    priceTick: '0.1',
    minLeverage: 1,
    maxLeverage: 200,
  }
  expect(readRules(mxFutures, ok(mxContract))).toEqual(wanted)
  expect(readRules(mxFutures, ok([{ symbol: 'ETH_USDT' }, mxContract]))).toEqual(wanted)
})

test('Bitget spot rules say that a market buy is an amount of the quote coin', () => {
  expect(readRules(bgSpot, ok([bgSpotEntry]))).toEqual({
    symbol: 'BTCUSDT',
    market: 'spot',
    baseCoin: 'BTC',
    quoteCoin: 'USDT',
    tradable: true,
    minSize: '0.000001',
    sizeStep: '0.000001',
    priceTick: '0.01',
    quoteStep: '0.00000001',
    minValue: '1',
  })
})

test('Bitget contract rules have a tick of several last digits', () => {
  expect(readRules(bgFutures, ok([bgContract]))).toEqual({
    symbol: 'BTCUSDT',
    market: 'futures',
    baseCoin: 'BTC',
    quoteCoin: 'USDT',
    tradable: true,
    minSize: '0.001',
    sizeStep: '0.001',
    maxSize: '1200',
    maxMarketSize: '220',
    priceTick: '0.5',
    minValue: '5',
    minLeverage: 1,
    maxLeverage: 125,
  })
})

test.each<[string, RulesKey, unknown, string]>([
  ['paused', mxSpot, { symbols: [{ ...mxSpotEntry, status: '2' }] }, 'is paused by the exchange'],
  ['offline', mxSpot, { symbols: [{ ...mxSpotEntry, status: 3 }] }, 'is offline at the exchange'],
  [
    'not allowed',
    mxSpot,
    { symbols: [{ ...mxSpotEntry, isSpotTradingAllowed: false }] },
    'is not open for spot orders',
  ],
  [
    'closed',
    mxSpot,
    { symbols: [{ ...mxSpotEntry, tradeSideType: '4' }] },
    'is closed for both sides',
  ],
  ['no API', mxFutures, { ...mxContract, apiAllowed: false }, 'is closed to API trading'],
  ['delivered', mxFutures, { ...mxContract, state: 2 }, 'has been delivered'],
  [
    'coin-margined',
    mxFutures,
    { ...mxContract, settleCoin: 'BTC' },
    'is settled in BTC; order it by contracts through /mx/api/v1/private/order/create',
  ],
  ['halted', bgSpot, [{ ...bgSpotEntry, status: 'halt' }], 'is not open for orders (halt)'],
  [
    'restricted',
    bgFutures,
    [{ ...bgContract, symbolStatus: 'restrictedAPI' }],
    'is not open for orders (restrictedAPI)',
  ],
])('a symbol that is %s is not tradable, and why is said', (_what, key, data, whyNot) => {
  expect(readRules(key, ok(data))).toMatchObject({ tradable: false, whyNot })
})

test('a pair that is open to one side only says which', () => {
  const only = (tradeSideType: string) =>
    readRules(mxSpot, ok({ symbols: [{ ...mxSpotEntry, tradeSideType }] }))?.onlySide
  expect([only('1'), only('2'), only('3')]).toEqual([undefined, 'buy', 'sell'])
})

test('a smallest value in USDT is not taken for one in another coin', () => {
  expect(readRules(bgSpot, ok([{ ...bgSpotEntry, quoteCoin: 'BTC' }]))).not.toHaveProperty(
    'minValue',
  )
})

test.each<[RulesKey, Verdict]>([
  [mxSpot, ok({ symbols: [] })],
  [mxSpot, ok([])],
  [mxFutures, ok(null)],
  [bgSpot, ok([])],
  [bgFutures, ok('x')],
  [bgSpot, ok([{ ...bgSpotEntry, symbol: 'ETHUSDT' }])],
  [
    mxFutures,
    { kind: 'rejected', rejection: { class: 'symbol', exchangeCode: '1001', exchangeMessage: '' } },
  ],
  [
    bgSpot,
    {
      kind: 'rejected',
      rejection: { class: 'parameter', exchangeCode: '40034', exchangeMessage: '' },
    },
  ],
])('an unknown symbol has no rules: %j %j', (key, verdict) => {
  expect(readRules(key, verdict)).toBeUndefined()
})

test.each<[RulesKey, unknown]>([
  [mxSpot, { symbols: [{ ...mxSpotEntry, baseAssetPrecision: 'x' }] }],
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
