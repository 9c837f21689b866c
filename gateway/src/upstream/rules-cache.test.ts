import { expect, test, vi } from 'vitest'
import type { RulesKey, SymbolRules } from '../exchanges/symbol-rules.ts'
import { createRulesCache } from './rules-cache.ts'

const key: RulesKey = { exchange: 'mx', market: 'spot', symbol: 'BTCUSDT' }
const rules: SymbolRules = {
  ...{ symbol: 'BTCUSDT', market: 'spot', baseCoin: 'BTC', quoteCoin: 'USDT', tradable: true },
  ...{ minSize: '1', sizeStep: '1', priceTick: '1' },
}
const MINUTE = 60_000

function setUp() {
  const time = { ms: 0 }
  const fetch = vi.fn<(key: RulesKey) => Promise<SymbolRules | undefined>>(async () => rules)
  const onStale = vi.fn()
  const cache = createRulesCache({ fetch, nowMs: () => time.ms, onStale })
  return { time, fetch, onStale, cache }
}

test('rules are asked once in ten minutes, for each symbol and market', async () => {
  const { time, fetch, cache } = setUp()
  expect(await cache.get(key)).toBe(rules)
  time.ms = 10 * MINUTE - 1
  await cache.get(key)
  expect(fetch).toHaveBeenCalledTimes(1)
  time.ms += 1
  await cache.get(key)
  expect(fetch).toHaveBeenCalledTimes(2)
  await cache.get({ ...key, market: 'futures' })
  await cache.get({ ...key, exchange: 'bg' })
  expect(fetch).toHaveBeenCalledTimes(4)
})

test('orders that come together wait for one question', async () => {
  const { fetch, cache } = setUp()
  const asked = Promise.withResolvers<SymbolRules>()
  fetch.mockReturnValueOnce(asked.promise)
  const results = Promise.all([cache.get(key), cache.get(key), cache.get(key)])
  asked.resolve(rules)
  expect(await results).toEqual([rules, rules, rules])
  expect(fetch).toHaveBeenCalledTimes(1)
})

test('a symbol that does not exist is remembered for 30 seconds', async () => {
  const { time, fetch, cache } = setUp()
  fetch.mockResolvedValueOnce(undefined)
  expect(await cache.get(key)).toBeUndefined()
  time.ms = 29_999
  expect(await cache.get(key)).toBeUndefined()
  expect(fetch).toHaveBeenCalledTimes(1)
  time.ms = 30_000
  expect(await cache.get(key)).toBe(rules)
})

test('a failure is thrown and not cached', async () => {
  const { fetch, cache } = setUp()
  fetch.mockRejectedValueOnce(new Error('down'))
  fetch.mockImplementationOnce(() => {
    throw new Error('down at once')
  })
  await expect(cache.get(key)).rejects.toThrow('down')
  await expect(cache.get(key)).rejects.toThrow('down at once')
  expect(await cache.get(key)).toBe(rules)
})

test('old rules are used for an hour when they cannot be refreshed, reported, and not requested for every order', async () => {
  const { time, fetch, onStale, cache } = setUp()
  await cache.get(key)
  const down = new Error('down')
  fetch.mockRejectedValue(down)
  time.ms = 20 * MINUTE
  expect(await cache.get(key)).toBe(rules)
  expect(onStale).toHaveBeenCalledExactlyOnceWith(key, 20 * MINUTE, down)
  time.ms += 29_999
  expect(await cache.get(key)).toBe(rules)
  expect(fetch).toHaveBeenCalledTimes(2)
  time.ms += 1
  expect(await cache.get(key)).toBe(rules)
  expect(fetch).toHaveBeenCalledTimes(3)
  time.ms = 60 * MINUTE + 1
  await expect(cache.get(key)).rejects.toBe(down)
})

test('symbols made up by a caller do not fill the memory', async () => {
  const { fetch, cache } = setUp()
  fetch.mockResolvedValue(undefined)
  for (let count = 0; count <= 1_000; count += 1) await cache.get({ ...key, symbol: `X${count}` })
  expect(fetch).toHaveBeenCalledTimes(1_001)
  await cache.get({ ...key, symbol: 'X1' })
  expect(fetch).toHaveBeenCalledTimes(1_001)
  await cache.get({ ...key, symbol: 'X0' })
  expect(fetch).toHaveBeenCalledTimes(1_002)
})
