import { setTimeout as passing } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Slot } from 'gateway/lane/job.ts'
import { createTransport } from 'gateway/upstream/transport.ts'
import { benchLane } from './lane.ts'

// One process of the network benchmark: for each `url` as many lanes as the `lanes` in its place
// say, at 2 per second, each with `count` requests on a connection of its own. What a lane learns
// of its network is `knows`.
const { values } = parseArgs({
  options: {
    url: { type: 'string', multiple: true, default: [] },
    lanes: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: '10' },
    knows: { type: 'string', default: 'nothing' },
  },
})
const { knows } = values
const RATE = 2

function createSend(url: string) {
  const { origin, pathname } = new URL(url)
  const transport = createTransport({
    origins: { 'mexc-spot': origin, 'mexc-futures': origin, bitget: origin },
    timeoutMs: 10_000,
    maxResponseBytes: 1000,
  })
  const request = { method: 'GET', url: pathname, headers: {}, body: null } as const
  return async ({ onSent, onResponse, onExchangeTime }: Slot): Promise<void> => {
    const hooks = knows === 'nothing' ? { onSent } : { onSent, onResponse }
    const { body } = await transport.send('bitget', request, hooks)
    if (knows === 'exchange time') onExchangeTime(JSON.parse(body.toString()).requestTime)
  }
}

async function runLane(url: string): Promise<void> {
  const send = createSend(url)
  // The lanes do not send at the same moments.
  await passing(Math.random() * (1000 / RATE))
  const lane = benchLane(RATE)
  await Promise.all(
    Array.from({ length: Number(values.count) }, (_, i) =>
      lane.submit({
        clientId: 'bot',
        jobClass: 'order',
        label: { requestId: String(i), method: 'GET', endpoint: url },
        run: send,
      }),
    ),
  )
}

const urls = values.url.flatMap((url, place) =>
  Array.from({ length: Number(values.lanes[place]) }, (_, index) => `${url}/${index}`),
)
await Promise.all(urls.map(runLane))
process.send?.('done', () => process.exit(0))
