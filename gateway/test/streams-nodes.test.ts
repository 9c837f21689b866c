import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { scrape } from './support/metrics.ts'
import { type TwoNodes, twoNodes } from './support/two-nodes.ts'

const ORDERS = { instType: 'SPOT', channel: 'orders', instId: 'default' }
const ORDER = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
  ...{ price: '10000', size: '0.01', clientOid: 'of-the-bot' },
}

/** A bot that was written for Bitget, at the node that is not the owner. */
async function listen({ askedUrl, client, time }: TwoNodes) {
  const { headers } = client
  const socket = new WebSocket(`${askedUrl.replace('http', 'ws')}/bg/v2/ws/private`, { headers })
  onTestFinished(() => socket.terminate())
  const frames: string[] = []
  socket.on('message', (data) => frames.push(`${data}`))
  const closed = once(socket, 'close').then(([code]) => code)
  await once(socket, 'open')
  socket.send(JSON.stringify({ op: 'subscribe', args: [ORDERS] }))
  const has = (text: string) => time.passUntil(() => expect(frames.join()).toContain(text))
  await has('"event":"subscribe"')
  return { closed, has }
}

function place({ askedUrl, client }: TwoNodes) {
  return fetch(`${askedUrl}/bg/api/v2/spot/trade/place-order`, {
    method: 'POST',
    headers: { ...client.headers, 'content-type': 'application/json' },
    body: JSON.stringify(ORDER),
  })
}

test('a bot at any node hears what the owner hears, until that one is lost', async () => {
  const nodes = await twoNodes({ ACCOUNT_STREAMS: 'on' })
  const { asked, owner, known, time, paper } = nodes
  const bot = await listen(nodes)
  // The owner has the account's one socket.
  await time.passUntil(() => expect(paper.streams.list()).toHaveLength(1))
  expect((await place(nodes)).status).toBe(200)
  await bot.has('"clientOid":"of-the-bot"')
  const kind = { kind: 'bitget-private' }
  const figures = { asked: await scrape(asked), owner: await scrape(owner) }
  expect(figures.asked.value('sluice_streams_passed', kind)).toBe(1)
  expect(figures.asked.value('sluice_streams_open', kind)).toBe(0)
  expect(figures.owner.value('sluice_streams_open', kind)).toBe(1)
  const fed = { exchange: 'bg', type: 'order', source: 'stream' }
  expect(figures.owner.value('sluice_stream_events_total', fed)).toBeGreaterThan(0)
  expect(figures.owner.value('sluice_feed_dials_total', { feed: 'bitget-classic' })).toBe(1)

  await nodes.between.refuse()
  expect(await bot.closed).toBe(1012)
  await nodes.between.accept()
  const again = await listen(nodes)
  known.asked = { nodeId: 'third', url: 'https://127.0.0.1:1', fence: 2 }
  await time.advance(500)
  expect(await again.closed).toBe(1012)
})

test('a stop of either node ends the streams through it with 1012, and does not wait for them', async () => {
  const nodes = await twoNodes({ ACCOUNT_STREAMS: 'on' })
  const first = await listen(nodes)
  const { time } = nodes
  await time.during(nodes.owner.close())
  expect(await first.closed).toBe(1012)
  nodes.known.asked = 'self'
  const second = await listen(nodes)
  const sinceMs = time.monotonic()
  await time.during(nodes.asked.close())
  expect(await second.closed).toBe(1012)
  // Far less than a request that is waited for.
  expect(time.monotonic() - sinceMs).toBeLessThan(9_000)
})
