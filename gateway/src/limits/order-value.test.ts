import { expect, test } from 'vitest'
import type { OrderEffect } from '../exchanges/call-effect.ts'
import type { SymbolRules } from '../exchanges/symbol-rules.ts'
import { needsPrice, orderValue } from './order-value.ts'

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
