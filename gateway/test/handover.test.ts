import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from './support/eventually.ts'
import { type TwoNodes, twoNodes } from './support/two-nodes.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

function place(url: string, { client }: TwoNodes, headers: Record<string, string> = {}) {
  return fetch(`${url}/api/mx/v1/submitOrder`, {
    method: 'POST',
    headers: { ...client.headers, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(ORDER),
  })
}

/** The owner stops, and the other node takes over. */
async function handOver(nodes: TwoNodes): Promise<void> {
  const { owner, known, remote } = nodes
  const closed = owner.close()
  // It gives the lock back once the journal has the end of every order.
  await eventually(() => expect(nodes.openOrders('owner')).toBe(0))
  known.owner = undefined
  known.asked = undefined
  nodes.shareJournal('owner')
  known.owner = remote.asked
  known.asked = 'self'
  await closed
}

test('20 orders that wait at an owner that stops are each placed once, and none is refused', async () => {
  const nodes = await twoNodes({ RATE_LIMIT_PER_SECOND: '8' })
  const urls = [nodes.ownerUrl, nodes.askedUrl]
  // Every second one has a key, and every second pair comes by the node that takes over.
  const headersOf = (index: number): Record<string, string> =>
    index % 2 === 0 ? {} : { 'idempotency-key': `k${index}` }
  const indexes = Array.from({ length: 20 }, (_, index) => index)
  const placed = indexes.map((index) =>
    place(urls[Math.floor(index / 2) % 2] ?? '', nodes, headersOf(index)),
  )
  await eventually(() => expect(nodes.paper.orders('mx').length).toBeGreaterThan(2))
  const before = nodes.paper.orders('mx').length
  expect(before).toBeLessThan(15)
  await handOver(nodes)
  const responses = await Promise.all(placed)
  expect(responses.map(({ status }) => status)).toEqual(indexes.map(() => 200))
  expect(nodes.paper.orders('mx')).toHaveLength(20)
  expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(20)

  // The same keys get the orders that are there.
  for (const index of indexes.filter((each) => each % 2 === 1)) {
    const again = await place(nodes.askedUrl, nodes, headersOf(index))
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  }
  expect(nodes.paper.orders('mx')).toHaveLength(20)
})

test('an order that was accepted and waits keeps its id when the owner changes', async () => {
  const nodes = await twoNodes({ RATE_LIMIT_PER_SECOND: '0.5' })
  await place(nodes.ownerUrl, nodes)
  const accepted = await place(nodes.ownerUrl, nodes, { prefer: 'respond-async' })
  expect(accepted.status).toBe(202)
  const { id } = (await accepted.json()) as { id: string }
  await handOver(nodes)
  await eventually(async () => {
    const status = await nodes.asked.inject({
      url: `/api/requests/${id}`,
      headers: nodes.client.headers,
    })
    expect(status.json()).toMatchObject({ state: 'answered' })
  })
  expect(nodes.paper.orders('mx')).toHaveLength(2)
})

test('an owner that is none for a moment carries out what waited', async () => {
  const nodes = await twoNodes()
  nodes.known.owner = undefined
  const response = place(nodes.ownerUrl, nodes)
  await sleep(200)
  nodes.known.owner = 'self'
  expect((await response).status).toBe(200)
  expect(nodes.paper.orders('mx')).toHaveLength(1)
})
