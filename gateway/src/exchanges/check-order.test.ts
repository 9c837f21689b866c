import { expect, test } from 'vitest'
import type { OrderToCheck } from './check-order.ts'
import { checkOrder, toContracts } from './check-order.ts'
import type { SymbolRules } from './symbol-rules.ts'

const spot: SymbolRules = {
  symbol: 'BTCUSDT',
  market: 'spot',
  baseCoin: 'BTC',
  quoteCoin: 'USDT',
  tradable: true,
  minSize: '0.000001',
  sizeStep: '0.000001',
  priceTick: '0.01',
  minValue: '1',
  maxValue: '1000000',
}
const contract: SymbolRules = {
  ...spot,
  symbol: 'BTC_USDT',
  market: 'futures',
  contractSize: '0.0001',
  sizeStep: '0.0001',
  minSize: '0.0001',
  maxSize: '100',
  maxMarketSize: '20',
  minLeverage: 1,
  maxLeverage: 125,
}
const limit: OrderToCheck = { side: 'buy', orderType: 'limit', size: '0.001', price: '60000' }
const market: OrderToCheck = { side: 'buy', orderType: 'market', size: '0.001' }
const messages = (rules: SymbolRules, order: OrderToCheck) =>
  checkOrder(rules, order).map(({ field, message }) => `${field}: ${message}`)

test('an order inside of the rules has no problem', () => {
  expect(checkOrder(spot, limit)).toEqual([])
  expect(checkOrder(spot, market)).toEqual([])
  expect(checkOrder(contract, { ...limit, leverage: 125, size: '0.0100' })).toEqual([])
})

test('a symbol that is closed has that one problem', () => {
  expect(
    messages({ ...spot, tradable: false, whyNot: 'is paused' }, { ...limit, size: '0' }),
  ).toEqual(['symbol: BTCUSDT is paused'])
})

test('a limit order without a price is reported', () => {
  const { price: _, ...priceless } = limit
  expect(messages(spot, priceless)).toEqual(['price: Price is required for limit orders'])
})

test('a size off the step is reported with the amounts on both sides', () => {
  expect(checkOrder(contract, { ...limit, size: '0.00015' })).toEqual([
    {
      field: 'size',
      below: '0.0001',
      above: '0.0002',
      message:
        '0.00015 BTC is not a multiple of 0.0001; the nearest valid amounts are 0.0001 and 0.0002',
    },
  ])
})

test('too small and too large sizes are reported with the limit', () => {
  expect(messages(contract, { ...limit, size: '0.00005' })).toEqual([
    'size: 0.00005 BTC is less than the smallest size, 0.0001; the nearest valid amount is 0.0001',
  ])
  expect(
    messages({ ...contract, maxValue: '99999999999' }, { ...limit, size: '100.0001' }),
  ).toEqual([
    'size: 100.0001 BTC is more than the largest size, 100; the nearest valid amount is 100',
  ])
  expect(messages(contract, { ...market, size: '21' })).toEqual([
    'size: 21 BTC is more than the largest size, 20; the nearest valid amount is 20',
  ])
})

test('a price off the tick and a price of zero are reported', () => {
  expect(messages(spot, { ...limit, price: '60000.005' })).toEqual([
    'price: 60000.005 USDT is not a multiple of 0.01; the nearest valid amounts are 60000 and 60000.01',
  ])
  expect(messages(spot, { ...limit, price: '0' })).toEqual([
    'price: 0 USDT is less than the smallest price, 0.01; the nearest valid amount is 0.01',
  ])
})

test('size and price are reported together', () => {
  expect(
    checkOrder(spot, { ...limit, size: '0', price: '1.001' }).map(({ field }) => field),
  ).toEqual(['price', 'size'])
})

test('an order worth too little is reported with the size that would do', () => {
  const [problem, ...rest] = checkOrder(spot, { ...limit, size: '0.000016' })
  expect(rest).toEqual([])
  expect(problem).toMatchObject({ field: 'size', above: '0.000017' })
  expect(problem?.message).toContain('at least 1 USDT and this one is worth 0.96')
  expect(checkOrder(spot, { ...limit, size: '0.000017' })).toEqual([])
})

test('what only closes may be worth less', () => {
  expect(checkOrder(spot, { ...limit, size: '0.000001', reduceOnly: true })).toEqual([])
})

test('an order worth too much is reported', () => {
  expect(messages(spot, { ...limit, size: '17' })).toEqual([
    'size: An order may be worth at most 1000000 USDT and this one is worth 1020000',
  ])
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

test('a leverage out of range is reported', () => {
  expect(messages(contract, { ...limit, leverage: 126 })).toEqual([
    'leverage: BTC_USDT allows a leverage from 1 to 125',
  ])
})

test('a pair open to one side rejects the other', () => {
  expect(messages({ ...spot, onlySide: 'sell' }, limit)).toEqual([
    'side: BTCUSDT is open only to sell orders',
  ])
})

test('a pair without market orders rejects them, and takes limit orders', () => {
  const rules = { ...spot, orderTypes: ['limit'] as const }
  expect(messages(rules, { ...limit, orderType: 'market' })).toEqual([
    'orderType: BTCUSDT is not open to market orders; send a limit order',
  ])
  expect(messages(rules, limit)).toEqual([])
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
