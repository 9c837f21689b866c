import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RulesKey } from '../exchanges/symbol-rules.ts'
import { NotOwnerError } from '../store/errors.ts'
import { systemTime } from '../time.ts'
import { Prices } from './prices.ts'

const BTC: RulesKey = { exchange: 'mx', market: 'spot', symbol: 'BTCUSDT' }

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

// With fake timers the wall clock is as good as a monotonic one.
const time = { ...systemTime, monotonic: systemTime.now }

/** Prices from an exchange that responds after some time; each price is one higher. */
function pricesThatAnswerIn(ms: number) {
  const sentAtMs: number[] = []
  let isDown = false
  const prices = new Prices({
    fetch: async (_key, onSent) => {
      onSent()
      sentAtMs.push(Date.now() - 1_000_000)
      const reference = `${sentAtMs.length}`
      await new Promise((resolve) => setTimeout(resolve, ms))
      if (isDown) throw new Error('down')
      return { reference, high: reference }
    },
    time,
  })
  const breakDown = () => {
    isDown = true
  }
  return { prices, sentAtMs, breakDown }
}

test('all who ask within a minute share one call', async () => {
  const { prices, sentAtMs } = pricesThatAnswerIn(100)
  const both = Promise.all([prices.get(BTC), prices.get({ ...BTC })])
  await vi.advanceTimersByTimeAsync(100)
  expect(await both).toEqual([
    { reference: '1', high: '1' },
    { reference: '1', high: '1' },
  ])
  await vi.advanceTimersByTimeAsync(59_900)
  expect(await prices.get(BTC)).toMatchObject({ reference: '1' })
  expect(sentAtMs).toEqual([0])
})

test('while a price is held, it is asked for once a minute and never missing', async () => {
  const { prices, sentAtMs } = pricesThatAnswerIn(900)
  const release = prices.hold(BTC)
  const first = prices.get(BTC)
  await vi.advanceTimersByTimeAsync(900)
  await first
  for (let second = 0; second < 180; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000)
    expect(prices.peek(BTC), `after ${second} s`).toBeDefined()
  }
  expect(sentAtMs).toEqual([0, 60_000, 120_000, 180_000])
  release()
  await vi.advanceTimersByTimeAsync(300_000)
  expect(sentAtMs).toHaveLength(4)
  expect(prices.peek(BTC)).toBeUndefined()
})

test('a held price stays, however many symbols are asked for after it', async () => {
  const { prices } = pricesThatAnswerIn(1)
  const ask = async (keys: readonly RulesKey[]) => {
    const all = Promise.all(keys.map((key) => prices.get(key)))
    await vi.advanceTimersByTimeAsync(1)
    await all
  }
  const others = Array.from({ length: 5_000 }, (_, n) => ({ ...BTC, symbol: `S${n}` }))
  prices.hold(BTC)
  await ask([BTC])
  await ask(others.slice(0, -1))
  await ask(others.slice(-1))
  expect(prices.peek(BTC)).toBeDefined()
  expect(others.filter((key) => prices.peek(key) === undefined)).toEqual(others.slice(0, 1))
})

test('a failed call is not repeated within its minute, and an old price does not outlive it', async () => {
  const { prices, sentAtMs, breakDown } = pricesThatAnswerIn(10)
  breakDown()
  const first = prices.get(BTC)
  await vi.advanceTimersByTimeAsync(10)
  expect(await first).toBeUndefined()
  expect(await prices.get(BTC)).toBeUndefined()
  await vi.advanceTimersByTimeAsync(60_000)
  const second = prices.get(BTC)
  await vi.advanceTimersByTimeAsync(10)
  expect(await second).toBeUndefined()
  expect(sentAtMs).toEqual([0, 60_010])
})

test('a price that another node has to ask for now is not one that the exchange does not have', async () => {
  let error: Error = new NotOwnerError()
  const prices = new Prices({ fetch: () => Promise.reject(error), time: systemTime })
  await expect(prices.get(BTC)).rejects.toBe(error)
  error = new Error('down')
  expect(await prices.get(BTC)).toBeUndefined()
})
