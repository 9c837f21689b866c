import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from './support/eventually.ts'
import { scrape } from './support/metrics.ts'
import { readEvents, type StreamReader } from './support/stream-reader.ts'
import { type TwoNodes, twoNodes } from './support/two-nodes.ts'

const ORDERS = { instType: 'SPOT', channel: 'orders', instId: 'default' }
const ORDER = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
  ...{ price: '10000', size: '0.01', clientOid: 'of-the-bot' },
}

/** A bot that was written for Bitget, at the node that is not the owner. */
async function listen({ askedUrl, client }: Pick<TwoNodes, 'askedUrl' | 'client'>) {
  const { headers } = client
  const socket = new WebSocket(`${askedUrl.replace('http', 'ws')}/bg/v2/ws/private`, { headers })
  onTestFinished(() => socket.terminate())
  const frames: string[] = []
  socket.on('message', (data) => frames.push(`${data}`))
  const closed = once(socket, 'close').then(([code]) => code)
  await once(socket, 'open')
  socket.send(JSON.stringify({ op: 'subscribe', args: [ORDERS] }))
  const has = (text: string) => eventually(() => expect(frames.join()).toContain(text))
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

test('a bot at any node receives the events of the owner, until that one is lost', async () => {
  const nodes = await twoNodes({ ACCOUNT_STREAMS: 'on' })
  const { asked, owner, known, time, paper } = nodes
  const bot = await listen(nodes)
  // The owner has the account's one socket.
  expect(paper.streams.list()).toHaveLength(1)
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

test('events reach a bot at any node, which resumes at another one after the last that it got', async () => {
  const nodes = await twoNodes({ ACCOUNT_STREAMS: 'on' })
  const { askedUrl, ownerUrl, client } = nodes
  const has = ({ events }: Pick<StreamReader, 'events'>, parts: object) =>
    eventually(() => expect(events).toContainEqual(expect.objectContaining(parts)))
  const first = await readEvents(askedUrl, client.headers, '?exchange=bg')
  await has(first, { type: 'state', data: expect.objectContaining({ state: 'live' }) })
  await has(first, { type: 'snapshotEnd' })
  expect((await place(nodes)).status).toBe(200)
  const placed = { type: 'order', data: expect.objectContaining({ clientOrderId: 'of-the-bot' }) }
  await has(first, placed)
  // The account's feed may have come after the first snapshot, which another one then follows.
  const last = first.events.findLast(({ type }) => type === 'snapshotEnd')
  await nodes.between.refuse()
  await eventually(() => expect(first.ended()).toBe(200))
  const headers = { ...client.headers, 'last-event-id': `${last?.id}` }
  const second = await readEvents(ownerUrl, headers, '?exchange=bg')
  await has(second, placed)
  expect(second.events.map(({ type }) => type)).not.toContain('snapshotEnd')
  const { value } = await scrape(nodes.owner)
  const ofGateway = { exchange: 'bg', part: 'gateway' }
  expect(value('sluice_stream_delay_seconds_count', ofGateway)).toBeGreaterThan(0)
  expect(value('sluice_streams_ended_total', { kind: 'sse', why: 'bot' })).toBe(1)
})

test('a stop of either node ends the streams through it with 1012, and does not wait for them', async () => {
  const nodes = await twoNodes({ ACCOUNT_STREAMS: 'on' })
  const { time, asked, owner, ownerUrl } = nodes
  const through = await listen(nodes)
  const direct = await listen({ ...nodes, askedUrl: ownerUrl })
  await time.during(asked.close())
  expect(await through.closed).toBe(1012)
  const sinceMs = time.monotonic()
  await time.during(owner.close())
  expect(await direct.closed).toBe(1012)
  // Far less than a request that is waited for.
  expect(time.monotonic() - sinceMs).toBeLessThan(9_000)
})
