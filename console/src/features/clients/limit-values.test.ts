import { type ClientLimits, NO_LIMITS } from 'schema'
import { expect, test } from 'vitest'
import { changedFields, LIMIT_FIELDS, problemsOf, toChanges, toValues } from './limit-values.ts'

const limits: ClientLimits = {
  ...NO_LIMITS,
  symbols: ['BTCUSDT', 'ETH*'],
  markets: ['futures'],
  maxOrderValue: '500',
  maxDayValue: '0.000001',
  maxOpenOrders: 20,
  maxOrdersPerMinute: 100_000,
  maxLeverage: 500,
  priceCollarPercent: '2.5',
  expiresAt: '2027-01-01T00:00:09Z',
  allowedIps: ['203.0.113.0/24', '2001:db8::/32'],
  repeatGuard: 'off',
  exits: 'any',
}
const none = toValues(NO_LIMITS)

test('limits that go through the form come back as they were', () => {
  const { state: _, mode: __, secretAsBearer: ___, ...fields } = limits
  expect(toChanges(toValues(limits), LIMIT_FIELDS)).toEqual(fields)
  expect(problemsOf(toValues(limits))).toEqual({})
})

test('empty fields are no limits', () => {
  const { state: _, mode: __, secretAsBearer: ___, ...fields } = NO_LIMITS
  expect(toChanges(none, LIMIT_FIELDS)).toEqual(fields)
  expect(problemsOf(none)).toEqual({})
})

test('both markets are the same as no limit on markets', () => {
  expect(toValues({ ...NO_LIMITS, markets: ['spot', 'futures'] })).toEqual(none)
})

test('only changed fields become changes', () => {
  const values = { ...none, maxDayValue: ' 2000 ', symbols: ['ETH*'] }
  expect(toChanges(values, changedFields(values, none))).toEqual({
    symbols: ['ETH*'],
    maxDayValue: '2000',
  })
})

test('symbols are what the exchanges list, also beyond ASCII', () => {
  const symbols = ['龙虾USDT', '币安人生_USDT', '$ALTUSDT', '币*', 'BTC_USDT', '*']
  expect(problemsOf({ ...none, symbols })).toEqual({})
})

test.each([
  ['maxOrderValue', '0'],
  ['maxOrderValue', '0.00'],
  ['maxOrderValue', '-5'],
  ['maxDayValue', '1,5'],
  ['maxDayValue', '1.1234567'],
  ['maxDayValue', '1e3'],
  ['priceCollarPercent', '1000'],
  ['priceCollarPercent', '0.00001'],
  ['maxOpenOrders', '0'],
  ['maxOpenOrders', '10001'],
  ['maxOrdersPerMinute', '1.5'],
  ['maxLeverage', '501'],
  ['symbols', ['btcusdt']],
  ['symbols', ['E*TH']],
  ['symbols', ['龙虾usdt']],
  ['symbols', ['龙虾 USDT']],
  ['symbols', ['龙\u200b虾USDT']],
  ['symbols', ['BTC/USDT']],
  ['symbols', Array.from({ length: 101 }, (_, i) => `S${i}`)],
  ['allowedIps', Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`)],
] as const)('%s of %j is a problem of its field', (name, value) => {
  expect(Object.keys(problemsOf({ ...none, [name]: value }))).toEqual([name])
})
