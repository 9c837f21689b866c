import { type ClientLimits, type LimitCode, NO_LIMITS } from 'schema'
import { expect, test } from 'vitest'
import type { CallEffect, OrderEffect } from '../exchanges/call-effect.ts'
import { checkAmounts, checkTerms, limitsTrading } from './check-limits.ts'
import type { ValuedEffect } from './order-value.ts'

const buy: OrderEffect = {
  ...{ kind: 'order', market: 'spot', symbol: 'BTCUSDT', side: 'buy', size: '2', price: '90' },
  ...{ reduces: false, rests: true },
}
const close: OrderEffect = {
  ...{ ...buy, market: 'futures', symbol: 'BTC_USDT', side: 'sell', reduces: true },
}
const lever = (leverage: number | undefined): CallEffect => ({
  ...{ kind: 'leverage', market: 'futures', symbol: 'BTC_USDT', leverage },
})
const cancel: CallEffect = { kind: 'cancel' }
const setting: CallEffect = { kind: 'setting' }
const unbounded: CallEffect = { kind: 'unbounded', why: 'it is a grid bot' }

const NO_EXITS: ReadonlySet<CallEffect> = new Set()

test.each<[LimitCode | undefined, Partial<ClientLimits>, CallEffect]>([
  ['LIMIT_HALTED', { state: 'halted' }, buy],
  ['LIMIT_HALTED', { state: 'halted' }, close],
  ['LIMIT_HALTED', { state: 'halted' }, setting],
  [undefined, { state: 'halted' }, cancel],
  ['LIMIT_REDUCING', { state: 'reducing' }, buy],
  ['LIMIT_REDUCING', { state: 'reducing' }, setting],
  ['LIMIT_REDUCING', { state: 'reducing' }, unbounded],
  [undefined, { state: 'reducing' }, close],
  [undefined, { state: 'reducing' }, cancel],
  ['LIMIT_UNVALUED', { maxOpenOrders: 1 }, unbounded],
  ['LIMIT_MARKET', { markets: ['spot'] }, close],
  [undefined, { markets: ['spot'] }, buy],
  ['LIMIT_SYMBOL', { symbols: ['ETH*', 'BTCUSD'] }, buy],
  ['LIMIT_SYMBOL', { symbols: ['*'] }, { ...buy, symbol: undefined }],
  [undefined, { symbols: ['BTC*'] }, close],
  ['LIMIT_SYMBOL', { symbols: ['ETH*'] }, lever(2)],
  ['LIMIT_LEVERAGE', { maxLeverage: 5 }, lever(6)],
  ['LIMIT_LEVERAGE', { maxLeverage: 5 }, lever(undefined)],
  [undefined, { maxLeverage: 5 }, lever(5)],
  ['LIMIT_LEVERAGE', { maxLeverage: 5 }, { ...close, leverage: 20 }],
])('%s by %o', (code, limits, effect) => {
  const terms = { leverage: undefined, stopReason: undefined, exits: NO_EXITS }
  expect(checkTerms({ ...NO_LIMITS, ...limits }, [cancel, effect], terms)?.code).toBe(code)
})

test('a stop halts whatever the limits are, and a request names its own leverage', () => {
  const stopped = { leverage: undefined, stopReason: 'loses money', exits: NO_EXITS }
  expect(checkTerms(NO_LIMITS, [close], stopped)).toMatchObject({
    code: 'LIMIT_HALTED',
    message: 'This client is stopped until an administrator resumes it: loses money',
  })
  expect(checkTerms(NO_LIMITS, [cancel], stopped)).toBeUndefined()
  const levered = { leverage: 20, stopReason: undefined, exits: NO_EXITS }
  expect(checkTerms({ ...NO_LIMITS, maxLeverage: 5 }, [buy], levered)?.code).toBe('LIMIT_LEVERAGE')
})

test('an exit passes the market, the symbol and `reducing`; a halt and its leverage count', () => {
  const check = (limits: Partial<ClientLimits>, effect = close) => {
    const terms = { leverage: undefined, stopReason: undefined, exits: new Set([effect]) }
    return checkTerms({ ...NO_LIMITS, ...limits }, [effect], terms)
  }
  expect(check({ markets: ['spot'], symbols: ['ETH*'], state: 'reducing' })).toBeUndefined()
  const opposite = { ...close, reduces: false }
  expect(check({ state: 'reducing' }, opposite)).toBeUndefined()
  expect(check({ state: 'halted' })).toMatchObject({
    code: 'LIMIT_HALTED',
    message: expect.stringContaining('With the state `reducing` this order would pass'),
  })
  expect(check({ maxLeverage: 5 }, { ...close, leverage: 20 })?.code).toBe('LIMIT_LEVERAGE')
  const stopped = { leverage: undefined, stopReason: 'loses money', exits: new Set([close]) }
  const { message } = checkTerms(NO_LIMITS, [close], stopped) ?? {}
  expect(message).toBe('This client is stopped until an administrator resumes it: loses money')
})

const COLLAR = { priceCollarPercent: '5' }
const used = { dayMicros: 1_000_000_000, openOrders: 3, ordersLastMinute: 9, exitsLastMinute: 0 }
const valued = (effect: CallEffect, valueMicros?: number, reference?: string) => ({
  ...{ effect, valueMicros, reference },
})

test.each<[LimitCode | undefined, Partial<ClientLimits>, ReturnType<typeof valued>]>([
  ['LIMIT_ORDER_VALUE', { maxOrderValue: '180' }, valued(buy, 180_000_001)],
  [undefined, { maxOrderValue: '180' }, valued(buy, 180_000_000)],
  ['LIMIT_UNVALUED', { maxDayValue: '5000' }, valued(buy)],
  ['LIMIT_DAY_VALUE', { maxDayValue: '1100' }, valued(buy, 100_000_001)],
  [undefined, { maxDayValue: '1100' }, valued(buy, 100_000_000)],
  [undefined, { maxDayValue: '999999999999' }, valued(buy, 100_000_000)],
  ['LIMIT_OPEN_ORDERS', { maxOpenOrders: 3 }, valued(buy)],
  [undefined, { maxOpenOrders: 3 }, valued({ ...buy, rests: false })],
  [undefined, { maxOpenOrders: 3 }, valued({ ...buy, changes: { orderId: '1' } })],
  [undefined, { maxOpenOrders: 4 }, valued(buy)],
  ['LIMIT_ORDER_RATE', { maxOrdersPerMinute: 9 }, valued(buy)],
  [undefined, { maxOrdersPerMinute: 9 }, valued(cancel)],
  [undefined, { maxOrdersPerMinute: 10 }, valued(buy)],
  ['LIMIT_PRICE_COLLAR', COLLAR, valued({ ...buy, price: '105.01' }, 0, '100')],
  [undefined, COLLAR, valued({ ...buy, price: '105' }, 0, '100')],
  [undefined, COLLAR, valued({ ...buy, price: '10' }, 0, '100')],
  ['LIMIT_PRICE_COLLAR', COLLAR, valued({ ...buy, side: 'sell', price: '94.9' }, 0, '100')],
  ['LIMIT_UNVALUED', COLLAR, valued(buy)],
])('%s by %o', (code, limits, effect) => {
  const refusal = checkAmounts({ ...NO_LIMITS, ...limits }, used, [effect])
  expect(refusal?.code).toBe(code)
  // A later try may pass each of these limits except that of one order's value.
  if (refusal !== undefined) expect(refusal.passes === true).toBe(code !== 'LIMIT_ORDER_VALUE')
})

test('the orders of a batch count together', () => {
  const limits = { ...NO_LIMITS, maxDayValue: '1100', maxOrderValue: '60' }
  const entry = valued(buy, 60_000_000)
  expect(checkAmounts(limits, used, [entry])).toBeUndefined()
  const refusal = { code: 'LIMIT_DAY_VALUE', limit: '1100', value: '1120' }
  expect(checkAmounts(limits, used, [entry, entry])).toMatchObject(refusal)
  const four = { ...NO_LIMITS, maxOpenOrders: 4 }
  expect(checkAmounts(four, used, [entry, entry])?.code).toBe('LIMIT_OPEN_ORDERS')
})

test('an expiry, addresses, repeatGuard or exits alone limit no trade', () => {
  expect(limitsTrading(NO_LIMITS)).toBe(false)
  const access: Partial<ClientLimits> = {
    ...{ expiresAt: '2027-01-01T00:00:00Z', allowedIps: ['::1'], mode: 'shadow' },
    ...{ repeatGuard: 'off', exits: 'limited' },
  }
  expect(limitsTrading({ ...NO_LIMITS, ...access })).toBe(false)
  expect(limitsTrading({ ...NO_LIMITS, maxOpenOrders: 1 })).toBe(true)
  expect(limitsTrading({ ...NO_LIMITS, state: 'reducing' })).toBe(true)
})

test('exits take nothing of value, minute and open orders, and have a minute of their own', () => {
  const exit = { ...valued(close, 0, '100'), isExit: true }
  const none = { maxOrderValue: '1', maxDayValue: '1', maxOpenOrders: 1, maxOrdersPerMinute: 1 }
  type Effects = readonly ValuedEffect[]
  const check = (limits: Partial<ClientLimits>, effects: Effects, exitsLastMinute = 0) =>
    checkAmounts({ ...NO_LIMITS, ...limits }, { ...used, exitsLastMinute }, effects)
  expect(check(none, [exit, exit])).toBeUndefined()
  expect(check(none, [exit], 59)).toBeUndefined()
  expect(check(none, [exit], 60)).toMatchObject({
    ...{ code: 'LIMIT_ORDER_RATE', limit: '60', value: '61', passes: true },
  })
  expect(check({ maxOrdersPerMinute: 90 }, [exit], 89)).toBeUndefined()
  expect(check({ maxOrdersPerMinute: 90 }, [exit], 90)?.limit).toBe('90')
  expect(check({}, [exit], 10_000)).toBeUndefined()
  expect(check(none, [exit, valued(buy, 1_000_001)])?.code).toBe('LIMIT_ORDER_VALUE')
  const priced = { ...exit, effect: { ...close, price: '80' } }
  expect(check(COLLAR, [priced])?.code).toBe('LIMIT_PRICE_COLLAR')
  expect(check(COLLAR, [{ ...priced, reference: undefined }])).toBeUndefined()
})
