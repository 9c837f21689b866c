import { parseArgs } from 'node:util'
import Bottleneck from 'bottleneck'
import { createTransport, type SendHooks } from 'gateway/upstream/transport.ts'
import { benchLane } from './lane-jobs.ts'

// One process of the pace benchmark: sends `count` requests at once through one limiter, with a
// stalled event loop when `stallMs` is not 0, and ends.
const { values } = parseArgs({
  options: {
    limiter: { type: 'string', default: 'sluice' },
    url: { type: 'string', default: '' },
    rate: { type: 'string', default: '2' },
    count: { type: 'string', default: '60' },
    concurrency: { type: 'string', default: '1' },
    stallMs: { type: 'string', default: '0' },
    stallEveryMs: { type: 'string', default: '700' },
  },
})
const rate = Number(values.rate)
const count = Number(values.count)
const concurrency = Number(values.concurrency)
const { origin, pathname, search } = new URL(values.url)
const measuredPath = `${pathname}${search}`
const sentMs: number[] = []
const transport = createTransport({
  origins: { 'mexc-spot': origin, 'mexc-futures': origin, bitget: origin },
  timeoutMs: 10_000,
  maxResponseBytes: 1000,
})

async function call(path: string, hooks: SendHooks = {}): Promise<void> {
  const request = { method: 'GET', url: path, headers: {}, body: null } as const
  const onSent = () => {
    if (path === measuredPath) sentMs.push(performance.now())
    hooks.onSent?.()
  }
  await transport.send('mexc-spot', request, { ...hooks, onSent })
}

function throughSluice(): Promise<unknown>[] {
  const lane = benchLane(rate, { concurrency })
  return Array.from({ length: count }, (_, i) =>
    lane.submit({
      clientId: `client ${i % 5}`,
      jobClass: 'order',
      label: { requestId: String(i), method: 'POST', endpoint: '/order' },
      run: ({ onSent, onResponse }) => call(measuredPath, { onSent, onResponse }),
    }),
  )
}

function throughBottleneck(): Promise<unknown>[] {
  const limiter = new Bottleneck({ minTime: 1000 / rate, maxConcurrent: concurrency })
  return Array.from({ length: count }, () => limiter.schedule(() => call(measuredPath)))
}

function stall(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

// The connection is open and both sides are warm before anything counts.
for (let i = 0; i < 20; i += 1) await call('/warm')
const stallMs = Number(values.stallMs)
const stalls = setInterval(() => stall(stallMs), Number(values.stallEveryMs))
if (stallMs === 0) clearInterval(stalls)
await Promise.all(values.limiter === 'sluice' ? throughSluice() : throughBottleneck())
process.send?.({ sentMs }, () => process.exit(0))
