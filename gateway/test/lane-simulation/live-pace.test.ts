import { expect, onTestFinished, test } from 'vitest'
import { createLane } from '../../src/lane/lane.ts'
import { createLaneTime } from '../../src/lane/lane-time.ts'
import { createTransport } from '../../src/upstream/transport.ts'
import { spawnPaper } from '../support/spawn-paper-exchange.ts'

const stallMs = 180
const stallEveryMs = 900

test('an exchange sees no third request within a second, although the gateway stalls again and again', async () => {
  const paper = await spawnPaper()
  onTestFinished(() => paper.stop())
  const transport = createTransport({
    origins: { 'mexc-spot': paper.url, 'mexc-futures': paper.url, bitget: paper.url },
    timeoutMs: 5000,
    maxResponseBytes: 1_000_000,
  })
  onTestFinished(() => transport.close())
  const lane = createLane<number>({
    name: 'MEXC',
    ratePerSecond: 2,
    concurrency: 1,
    maxQueueWaitMs: 60_000,
    maxQueueLength: 100,
    clientShare: 1,
    // The exchange shares its cores with other tests and may note an arrival late, 50 ms on a busy
    // machine. A stall of ours that came through to it would be more than twice the guard.
    guardMs: 70,
    startDelayMs: 0,
    judge: () => ({ kind: 'ok' }),
    time: createLaneTime(),
    random: Math.random,
  })
  onTestFinished(() => lane.close(0))
  const stalls = setInterval(stall, stallEveryMs)
  onTestFinished(() => clearInterval(stalls))

  const ping = { method: 'GET', url: '/api/v3/ping', headers: {}, body: null } as const
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const { response } = await lane.submit({
        clientId: `client ${i % 3}`,
        jobClass: 'market',
        label: { requestId: String(i), method: 'GET', endpoint: ping.url },
        run: async ({ onSent }) => (await transport.send('mexc-spot', ping, { onSent })).status,
      })
      return response
    }),
  )

  expect(statuses).toEqual(Array(20).fill(200))
  const arrivals = await paper.arrivalsMs()
  expect(arrivals).toHaveLength(20)
  const spans = arrivals.slice(2).map((ms, i) => ms - (arrivals[i] ?? 0))
  expect(Math.min(...spans)).toBeGreaterThanOrEqual(1000)
})

function stall(): void {
  const untilMs = performance.now() + stallMs
  while (performance.now() < untilMs);
}
