import { expect, test } from 'vitest'
import type { OrderEffect } from '../exchanges/call-effect.ts'
import type { SymbolPrice } from '../exchanges/public-data.ts'
import type { SymbolRules } from '../exchanges/symbol-rules.ts'
import { NotOwnerError } from '../store/errors.ts'
import { systemTime } from '../time.ts'
import type { RulesCache } from '../upstream/rules-cache.ts'
import { EffectValues, needsPrice, orderValue } from './order-value.ts'
import { Prices } from './prices.ts'

const rules: SymbolRules = {
  ...{ symbol: 'BTCUSDT', market: 'spot', baseCoin: 'BTC', quoteCoin: 'USDT', tradable: true },
  ...{ minSize: '0.001', sizeStep: '0.001', priceTick: '0.1' },
}
const price = { reference: '100', high: '110' }
const limitBuy: OrderEffect = {
  ...{ kind: 'order', market: 'spot', symbol: 'BTCUSDT', side: 'buy', size: '2', price: '90' },
  ...{ reduces: false, rests: true },
}
const quotes = { rules, price, rate: '1' }

const inQuote = { size: undefined, quoteSize: '100', price: undefined }
const ofFutures = { market: 'futures', exit: '80' } as const

test.each<[string, Partial<OrderEffect>, number | undefined]>([
  ['a limit buy costs at most its price', {}, 180_000_000],
  ['a limit sell below the market brings the market price', { side: 'sell' }, 231_000_000],
  ['a limit sell above the market brings its price', { side: 'sell', price: '200' }, 400_000_000],
  ['a change without a side is the dearer of both', { side: undefined }, 231_000_000],
  ['a market order trades above the highest price', { price: undefined }, 231_000_000],
  ['a trigger order trades at its trigger', { price: undefined, trigger: '300' }, 630_000_000],
  ['a quote amount is what it costs', { ...inQuote, quoteSize: '55.5' }, 55_500_000],
  ['a change that leaves the price has no value', { price: undefined, changes: {} }, undefined],
  ['an exit trades the size again', { exit: '80' }, 411_000_000],
  ['an exit above the market trades at its trigger', { exit: '200' }, 600_000_000],
  ['an exit of a quote amount sells what it bought', { ...inQuote, exit: '80' }, 221_275_000],
  ['an exit of futures may close more, and has no value', ofFutures, undefined],
  ['all there is has no value', { size: undefined, price: undefined }, undefined],
])('%s', (_name, changed, micros) => {
  expect(orderValue({ ...limitBuy, ...changed }, quotes)).toBe(micros)
})

test('contracts, other quote coins and fractions of a millionth are rounded up', () => {
  const inContracts = { ...quotes, rules: { ...rules, contractSize: '0.0001' } }
  expect(orderValue({ ...limitBuy, size: '3' }, inContracts)).toBe(27_000)
  expect(orderValue(limitBuy, { ...quotes, rate: '1.0000000001' })).toBe(180_000_001)
})

test('without a price or a rate nothing is guessed', () => {
  const market = { ...limitBuy, price: undefined }
  expect(needsPrice(market)).toBe(true)
  expect(needsPrice({ ...limitBuy, exit: '80' })).toBe(true)
  expect(needsPrice({ ...limitBuy, market: 'futures', exit: '80' })).toBe(false)
  expect(orderValue({ ...limitBuy, exit: '80' }, { ...quotes, price: undefined })).toBeUndefined()
  expect(orderValue(market, { ...quotes, price: undefined })).toBeUndefined()
  expect(orderValue(limitBuy, { ...quotes, rate: undefined })).toBeUndefined()
  expect(needsPrice(limitBuy)).toBe(false)
  expect(orderValue(limitBuy, { ...quotes, price: undefined })).toBe(180_000_000)
  expect(orderValue({ ...limitBuy, size: '1e30' }, quotes)).toBeUndefined()
})

const LIMITS = { maxDayValue: '1000' } as Parameters<EffectValues['ask']>[2]
const ORDER = {
  ...{ kind: 'order', market: 'futures', symbol: 'BTC_USDT', price: '50000' },
} as unknown as Parameters<EffectValues['ask']>[1][number]

/** Values `ORDER` with rules and prices that `fetch` gives. */
function ask(fetch: () => Promise<never> | Promise<SymbolPrice>, limits = LIMITS) {
  const prices = new Prices({ fetch, time: systemTime })
  const rules = { get: fetch, peek: () => undefined }
  const values = new EffectValues(rules as unknown as RulesCache, prices)
  return values.ask('mx', [ORDER], limits, new Set())
}

test('rules that the next owner has to read refuse no order; rules that the exchange does not give do', async () => {
  const notOwner = new NotOwnerError()
  await expect(ask(() => Promise.reject(notOwner))).rejects.toBe(notOwner)
  expect((await ask(() => Promise.reject(new Error('down')))).valued).toMatchObject([
    { missing: 'the rules of BTC_USDT could not be read: down' },
  ])
})

test('a collar needs the current price, even when no limit needs the value of the order', async () => {
  const price = { reference: '50000', high: '50001' }
  const collar = { maxOrderValue: null, maxDayValue: null, priceCollarPercent: '5' }
  const { valued } = await ask(async () => price, { ...LIMITS, ...collar })
  expect(valued).toEqual([{ effect: ORDER, valueMicros: undefined, reference: '50000' }])
})
