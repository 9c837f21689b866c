import { expect, test } from 'vitest'
import type { SymbolRules } from './symbol-rules.ts'
import { checkOrder, type OrderToCheck, toContracts } from './symbol-rules.ts'

const spot: SymbolRules = {
  ...{ symbol: 'BTCUSDT', market: 'spot', baseCoin: 'BTC', quoteCoin: 'USDT', tradable: true },
  ...{ minSize: '0.000001', sizeStep: '0.000001', priceTick: '0.01' },
  ...{ minValue: '1', maxValue: '1000000' },
}
const contract: SymbolRules = {
  ...{ ...spot, symbol: 'BTC_USDT', market: 'futures', contractSize: '0.0001' },
  ...{ sizeStep: '0.0001', minSize: '0.0001', maxSize: '100', maxMarketSize: '20' },
  ...{ minLeverage: 1, maxLeverage: 125 },
}
const limit: OrderToCheck = { side: 'buy', orderType: 'limit', size: '0.001', price: '60000' }
const market: OrderToCheck = { side: 'buy', orderType: 'market', size: '0.001' }
const messages = (rules: SymbolRules, order: OrderToCheck) =>
  checkOrder(rules, order).map(({ field, message }) => `${field}: ${message}`)

test('an order inside of the rules has no problem', () => {
  expect(checkOrder(spot, limit)).toEqual([])
  expect(checkOrder(spot, market)).toEqual([])
  expect(checkOrder(contract, { ...limit, leverage: 125, size: '0.0100' })).toEqual([])
  expect(checkOrder(limitsOnly, limit)).toEqual([])
  // What only closes may be worth less.
  expect(checkOrder(spot, { ...limit, size: '0.000001', reduceOnly: true })).toEqual([])
})

const { price: _, ...priceless } = limit
const wide = { ...contract, maxValue: '99999999999' }
const limitsOnly = { ...spot, orderTypes: ['limit'] as const }

test.each<[what: string, rules: SymbolRules, order: OrderToCheck, message: string]>([
  [
    'a symbol that is closed',
    { ...spot, tradable: false, whyNot: 'is paused' },
    { ...limit, size: '0' },
    'symbol: BTCUSDT is paused',
  ],
  ['no price of a limit order', spot, priceless, 'price: Price is required for limit orders'],
  [
    'too small a size',
    contract,
    { ...limit, size: '0.00005' },
    'size: 0.00005 BTC is less than the smallest size, 0.0001; the nearest valid amount is 0.0001',
  ],
  [
    'too large a size',
    wide,
    { ...limit, size: '100.0001' },
    'size: 100.0001 BTC is more than the largest size, 100; the nearest valid amount is 100',
  ],
  [
    'too large a size at the market',
    contract,
    { ...market, size: '21' },
    'size: 21 BTC is more than the largest size, 20; the nearest valid amount is 20',
  ],
  [
    'a price off the tick',
    spot,
    { ...limit, price: '60000.005' },
    'price: 60000.005 USDT is not a multiple of 0.01; the nearest valid amounts are 60000 and 60000.01',
  ],
  [
    'a price of zero',
    spot,
    { ...limit, price: '0' },
    'price: 0 USDT is less than the smallest price, 0.01; the nearest valid amount is 0.01',
  ],
  [
    'an order worth too much',
    spot,
    { ...limit, size: '17' },
    'size: An order may be worth at most 1000000 USDT and this one is worth 1020000',
  ],
  [
    'a leverage out of range',
    contract,
    { ...limit, leverage: 126 },
    'leverage: BTC_USDT allows a leverage from 1 to 125',
  ],
  [
    'a pair open to the other side',
    { ...spot, onlySide: 'sell' },
    limit,
    'side: BTCUSDT is open only to sell orders',
  ],
  [
    'a pair without market orders',
    limitsOnly,
    { ...limit, orderType: 'market' },
    'orderType: BTCUSDT is not open to market orders; send a limit order',
  ],
])('%s is the one problem', (_what, rules, order, message) => {
  expect(messages(rules, order)).toEqual([message])
})

test('a size off the step is reported with the amounts on both sides', () => {
  const message =
    '0.00015 BTC is not a multiple of 0.0001; the nearest valid amounts are 0.0001 and 0.0002'
  expect(checkOrder(contract, { ...limit, size: '0.00015' })).toEqual([
    { field: 'size', below: '0.0001', above: '0.0002', message },
  ])
})

test('size and price are reported together', () => {
  const problems = checkOrder(spot, { ...limit, size: '0', price: '1.001' })
  expect(problems.map(({ field }) => field)).toEqual(['price', 'size'])
})

test('an order worth too little is reported with the size that would do', () => {
  const [problem, ...rest] = checkOrder(spot, { ...limit, size: '0.000016' })
  expect(rest).toEqual([])
  expect(problem).toMatchObject({ field: 'size', above: '0.000017' })
  expect(problem?.message).toContain('at least 1 USDT and this one is worth 0.96')
  expect(checkOrder(spot, { ...limit, size: '0.000017' })).toEqual([])
})

test('where a market buy is a quote amount it is measured in the quote coin', () => {
  const bitget: SymbolRules = { ...spot, quoteStep: '0.01' }
  expect(checkOrder(bitget, { ...market, size: '25' })).toEqual([])
  expect(messages(bitget, { ...market, size: '0.5' })).toEqual([
    'size: 0.5 USDT is less than the smallest size, 1; the nearest valid amount is 1',
  ])
  expect(checkOrder(bitget, { ...market, size: '25.005' })).toMatchObject([
    { field: 'size', below: '25', above: '25.01' },
  ])
  expect(checkOrder(bitget, { ...market, side: 'sell', size: '0.000001' })).toEqual([])
})

test.each([
  ['0.01', '100'],
  ['0.0001', '1'],
  ['1.50', '15000'],
])('%s BTC are %s contracts of 0.0001', (size, contracts) => {
  expect(toContracts(contract, size)).toEqual({ contracts })
})

test('a quantity that is no whole number of contracts is rejected with its neighbours', () => {
  expect(toContracts(contract, '0.01234')).toMatchObject({
    problem: { field: 'size', below: '0.0123', above: '0.0124' },
  })
  expect(() => toContracts(spot, '1')).toThrow('BTCUSDT is not counted in contracts')
})
