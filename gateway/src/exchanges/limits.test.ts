import { DEFAULT_RATE_LIMIT_PER_SECOND, EXCHANGES } from 'schema'
import { expect, test } from 'vitest'
import { toy } from '../../test/toy-exchange/index.ts'
import { TOY_CODE } from '../../test/toy-exchange/names.ts'
import type { Family } from './exchange.ts'
import { type LimitedCall, orderRateOf, rateOf, readWeights } from './limits.ts'
import { adapters, allowedRate, createAdapters } from './registry.ts'

test.each<[Family, number]>([
  ['mexc-spot', 12],
  ['mexc-futures', 2],
  ['bitget', 10],
])('%s allows %d orders of one account a second', (family, perSecond) => {
  expect(orderRateOf(adapters.of(family).limits).perSecond).toBe(perSecond)
})

test('the APIs of an exchange share its lane, so the lowest rate counts', () => {
  expect(allowedRate('mx')).toMatchObject({ title: 'MEXC futures', perSecond: 2 })
  expect(allowedRate('bg')).toMatchObject({ title: 'Bitget', perSecond: 10 })
})

test('the default rate is safe for each exchange', () => {
  for (const exchange of EXCHANGES)
    expect(DEFAULT_RATE_LIMIT_PER_SECOND).toBeLessThanOrEqual(allowedRate(exchange).perSecond)
})

test('a weight and a longer window lower the rate', () => {
  expect(allowedRate(TOY_CODE, createAdapters([toy])).perSecond).toBe(5)
  const { table } = adapters.of('mexc-spot').limits
  expect(rateOf('GET /api/v3/ticker/24hr', table)?.perSecond).toBe(1.2)
  // Its weight allows 3, its own limit 2.
  expect(rateOf('GET /api/v3/account', table)?.perSecond).toBe(2)
  const futures = adapters.of('mexc-futures').limits.table
  expect(rateOf('POST /api/v1/private/position/change_leverage', futures)?.perSecond).toBe(1)
})

test('a call that no limit counts has no rate', () => {
  const { limits } = adapters.of('mexc-futures')
  expect(rateOf('GET /api/v9/none', limits.table)).toBeUndefined()
  expect(() => orderRateOf({ ...limits, orderCalls: ['GET /api/v9/none'] })).toThrow(TypeError)
})

test('a line with a group is a line for each of its names', () => {
  expect(
    readWeights([
      [2, 'GET', '/a/(b|c/d)/e'],
      [1, 'POST', '/a'],
    ]),
  ).toEqual({ 'GET /a/b/e': 2, 'GET /a/c/d/e': 2, 'POST /a': 1 })
})

// The arithmetic of `orderRateOf` relies on it.
test.each<[Family, LimitedCall]>([
  ['mexc-spot', 'DELETE /api/v3/order'],
  ['mexc-futures', 'POST /api/v1/private/order/cancel'],
  ['mexc-futures', 'POST /api/v1/private/order/cancel_with_external'],
  ['mexc-futures', 'POST /api/v1/private/order/change_limit_order'],
  ['bitget', 'POST /api/v2/spot/trade/cancel-order'],
  ['bitget', 'POST /api/v2/mix/order/cancel-order'],
  ['bitget', 'POST /api/v2/mix/order/modify-order'],
  ['bitget', 'POST /api/v3/trade/cancel-order'],
  ['bitget', 'POST /api/v3/trade/modify-order'],
])('on %s %s has no lower limit than an order', (family, call) => {
  const { limits } = adapters.of(family)
  const { perSecond } = orderRateOf(limits)
  expect(rateOf(call, limits.table)?.perSecond).toBeGreaterThanOrEqual(perSecond)
})

test('the table counts the calls that the gateway builds for itself', () => {
  for (const { family, limits, time, rules } of adapters.all) {
    const paths = [time.paths[0], ...Object.values(rules).map(({ call }) => call('BTCUSDT').path)]
    for (const path of paths) {
      const known = limits.table.some(({ calls }) => calls !== 'every' && `GET ${path}` in calls)
      expect(known, `${family} ${path}`).toBe(true)
    }
  }
})
