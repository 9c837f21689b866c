import { expect, test } from 'vitest'
import { decimal } from './exact-numbers.ts'
import { defaultMarkets } from './market.ts'
import { Prices } from './prices.ts'

const walk = { seed: 3, stepMs: 1_000, stepRatio: '0.01' }
const [market] = defaultMarkets

function createTestPrices(stepRatio = walk.stepRatio) {
  let nowMs = 0
  const prices = new Prices({
    markets: defaultMarkets,
    walk: { ...walk, stepRatio },
    nowMs: () => nowMs,
  })
  const at = (ms: number) => {
    nowMs = ms
    prices.advance()
    return market === undefined ? '' : prices.of(market).last.toFixed()
  }
  return { prices, at }
}

test('a price walk depends on its seed and on the time, not on how often it is read', () => {
  const [often, once] = [createTestPrices(), createTestPrices()]
  for (let ms = 0; ms <= 60_000; ms += 700) often.at(ms)
  expect(often.at(60_000)).toBe(once.at(60_000))
  expect(once.at(60_999)).toBe(once.at(60_000))
})

test('a price walk stays between a quarter and four times its start', () => {
  const { at } = createTestPrices('0.5')
  const seen = Array.from({ length: 300 }, (_, second) => decimal(at(second * 1_000)))
  expect(seen.every((price) => price.gte(15_000) && price.lte(240_000))).toBe(true)
  // It came near the bounds, so they were put to the test.
  expect(seen.some((price) => price.lt(25_000) || price.gt(150_000))).toBe(true)
})

test('bid and ask are one tick from the last price, and the bid is never zero', () => {
  const { prices } = createTestPrices()
  if (market === undefined) throw new Error('There is no market')
  prices.set(market, decimal('0.01'))
  const { bid, ask } = prices.quote(market, decimal('0.01'))
  expect([bid.toFixed(), ask.toFixed()]).toEqual(['0.01', '0.02'])
  prices.set(market, decimal('59000.005'))
  const between = prices.quote(market, decimal('0.01'))
  expect([between.bid.toFixed(), between.ask.toFixed()]).toEqual(['58999.99', '59000.02'])
})
