import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createLane } from '../../src/lane/lane.ts'
import { createLaneTime } from '../../src/lane/lane-time.ts'
import { createTransport } from '../../src/upstream/transport.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import type { Judgement } from './judging-exchange.ts'

const EXCHANGE = fileURLToPath(new URL('judging-exchange.ts', import.meta.url))
const RATE = 2
const COUNT = 20
const stallMs = 180
const stallEveryMs = 900

test('an exchange sees no third request within a second, although the gateway stalls again and again', async () => {
  const exchange = fork(EXCHANGE, { execArgv: [], env: { ...process.env, ...COMPILE_CACHE } })
  onTestFinished(() => void exchange.kill())
  const [url] = await once(exchange, 'message')
  const transport = createTransport({
    origins: { 'mexc-spot': url, 'mexc-futures': url, bitget: url },
    timeoutMs: 60_000,
    maxResponseBytes: 1_000_000,
  })
  onTestFinished(() => transport.close())
  const lane = createLane<number>({
    name: 'MEXC',
    ratePerSecond: RATE,
    concurrency: 1,
    maxQueueWaitMs: 600_000,
    maxQueueLength: 100,
    clientShare: 1,
    // A stall of ours that came through to the exchange would be more than twice the guard.
    guardMs: 70,
    startDelayMs: 0,
    judge: () => ({ kind: 'ok' }),
    time: createLaneTime(),
    random: () => 0.5,
  })
  onTestFinished(() => lane.close(0))
  const stalls = setInterval(stall, stallEveryMs)
  onTestFinished(() => clearInterval(stalls))

  const ping = { method: 'GET', url: '/api/v3/ping', headers: {}, body: null } as const
  const statuses = await Promise.all(
    Array.from({ length: COUNT }, async (_, i) => {
      const { response } = await lane.submit({
        clientId: `client ${i % 3}`,
        jobClass: 'market',
        label: { requestId: String(i), method: 'GET', endpoint: ping.url },
        run: async ({ onSent }) => (await transport.send('mexc-spot', ping, { onSent })).status,
      })
      return response
    }),
  )

  expect(statuses).toEqual(Array(COUNT).fill(200))
  exchange.send(RATE)
  const [judgement] = (await once(exchange, 'message')) as [Judgement]
  expect(judgement).toMatchObject({ count: COUNT, windows: COUNT - RATE, violations: [] })
})

function stall(): void {
  const untilMs = performance.now() + stallMs
  while (performance.now() < untilMs);
}
