import { expect, onTestFinished, test } from 'vitest'
import { testApp } from './app.ts'
import { createSeededRandom } from './lane-simulation/seeded-random.ts'
import { startDelayingProxy } from './support/delaying-proxy.ts'
import { watchStalls } from './support/longest-stall.ts'

const RATE = 10
const REQUESTS = 40

// The pace was kept at the socket only: over such a network four of ten requests came too early.
test('an exchange behind a network with 1 to 25 ms of jitter each way sees the pace', async () => {
  const { paper, app, client } = await behindJitter()
  const bot = await client()
  const ask = (exchange: string, path: string) =>
    app.inject({ url: `/${exchange}${path}`, headers: bot.headers })
  // Bitget states its time in each response, MEXC does not: here only the round trip is known.
  const paths = (i: number) => [
    ask('bg', `/api/v2/spot/market/orderbook?symbol=BTCUSDT&limit=${i + 1}`),
    ask('mx', `/api/v3/depth?symbol=BTCUSDT&limit=${i + 1}`),
  ]
  const longestStallMs = watchStalls()
  const responses = await Promise.all(Array.from({ length: REQUESTS }, (_, i) => paths(i)).flat())
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(2 * REQUESTS).fill(200))

  for (const exchange of ['bg', 'mx'] as const) {
    const arrivedMs = paper
      .received({ exchange })
      .map(({ arrivedAtMonotonicMs }) => arrivedAtMonotonicMs)
    expect(arrivedMs.length).toBeGreaterThanOrEqual(REQUESTS)
    const spansMs = arrivedMs.slice(RATE).map((ms, i) => ms - (arrivedMs[i] ?? 0))
    // An arrival is noted as much too late as this process stalls.
    expect(Math.min(...spansMs)).toBeGreaterThanOrEqual(1000 - longestStallMs())
  }
})

/** The real app; each piece of data to and from the exchange has a delay of its own. */
async function behindJitter() {
  const random = createSeededRandom(14)
  const delayMs = () => 1 + 24 * random()
  return testApp({
    env: { RATE_LIMIT_PER_SECOND: `${RATE}`, UPSTREAM_CONCURRENCY: '4' },
    async between(target) {
      const proxy = await startDelayingProxy({ target, thereMs: delayMs, backMs: delayMs })
      onTestFinished(() => proxy.close())
      return proxy.url
    },
  })
}
