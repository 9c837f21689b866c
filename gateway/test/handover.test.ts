import { expect, test } from 'vitest'
import { eventually } from './support/eventually.ts'
import { ORDER } from './support/place.ts'
import { type TwoNodes, twoNodes } from './support/two-nodes.ts'

function place(url: string, { client }: TwoNodes, headers: Record<string, string> = {}) {
  return fetch(`${url}/api/mx/v1/submitOrder`, {
    method: 'POST',
    headers: { ...client.headers, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(ORDER),
  })
}

/** The owner stops, and the other node takes over. @param between what happens before that */
async function handOver(nodes: TwoNodes, between = async () => {}): Promise<void> {
  const { owner, known, remote, time } = nodes
  const closed = owner.close()
  // It gives the lock back once the journal has the end of every order.
  await eventually(() => expect(nodes.openOrders('owner')).toBe(0))
  known.owner = undefined
  known.asked = undefined
  nodes.shareJournal('owner')
  await between()
  known.owner = remote.asked
  known.asked = 'self'
  await time.during(closed)
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
  const { paper, time } = nodes
  await time.passUntil(() => expect(paper.orders('mx').length).toBeGreaterThan(2))
  expect(paper.orders('mx').length).toBeLessThan(15)
  await handOver(nodes)
  const responses = await time.during(Promise.all(placed))
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

/** An order after which the next one waits for its slot. */
async function placeFirst(nodes: TwoNodes): Promise<void> {
  const placed = place(nodes.ownerUrl, nodes)
  await nodes.time.passUntil(() => expect(nodes.paper.orders('mx')).toHaveLength(1))
  await placed
}

/** An order that was accepted and waits behind another one. */
async function accept(nodes: TwoNodes, headers: Record<string, string> = {}): Promise<string> {
  await placeFirst(nodes)
  const accepted = await place(nodes.ownerUrl, nodes, { prefer: 'respond-async', ...headers })
  expect(accepted.status).toBe(202)
  const { id } = (await accepted.json()) as { id: string }
  return id
}

const SLOW = { RATE_LIMIT_PER_SECOND: '0.5' }

test('an order that was accepted and waits is queued, under its id, also while no node has it', async () => {
  const nodes = await twoNodes(SLOW)
  const { asked, client, paper } = nodes
  const id = await accept(nodes)
  const status = async () =>
    (await asked.inject({ url: `/api/requests/${id}`, headers: client.headers })).json()
  await handOver(nodes, async () => {
    await nodes.time.advance(5_000)
    expect(await status()).toMatchObject({ state: 'queued', sentAt: null, answer: null })
  })
  await nodes.time.passUntil(async () =>
    expect(await status()).toMatchObject({ state: 'answered' }),
  )
  expect(paper.orders('mx')).toHaveLength(2)
})

test('what waited in the queue of an owner for long waits for the next one as long as any request', async () => {
  const nodes = await twoNodes(SLOW, { passingTimes: { parkedMs: 1_000 } })
  const { time, owner, asAdmin } = nodes
  await placeFirst(nodes)
  const waiting = place(nodes.askedUrl, nodes)
  await eventually(async () => {
    const queue = await owner.inject({ url: '/api/admin/queue', headers: asAdmin })
    expect(queue.json()).toHaveLength(1)
  })
  await time.advance(1_200)
  await handOver(nodes, () => time.advance(300))
  expect((await time.during(waiting)).status).toBe(200)
  expect(nodes.paper.orders('mx')).toHaveLength(2)
})

test('a retry that comes to the next owner first carries the order out, and the request that is passed on joins it', async () => {
  const nodes = await twoNodes(SLOW)
  const key = { 'idempotency-key': 'k' }
  const id = await accept(nodes, key)
  let again: Promise<Response> | undefined
  await handOver(nodes, async () => {
    nodes.known.asked = 'self'
    again = place(nodes.askedUrl, nodes, key)
    await nodes.time.passUntil(() => expect(nodes.paper.orders('mx')).toHaveLength(2))
  })
  expect((await again)?.status).toBe(200)
  expect((await again)?.headers.get('location')).toBe(`/api/requests/${id}`)
  expect(nodes.paper.orders('mx')).toHaveLength(2)
})

test('an order that waits for the next owner can be withdrawn there', async () => {
  const nodes = await twoNodes(SLOW)
  const { asked, client, known, paper } = nodes
  const id = await accept(nodes)
  const [url, { headers }] = [`/api/requests/${id}`, client]
  await handOver(nodes, async () => {
    known.asked = 'self'
    for (const _ of [1, 2])
      expect((await asked.inject({ method: 'DELETE', url, headers })).statusCode).toBe(204)
  })
  // What the old owner passes on is too late.
  const ended = await asked.inject({ url, headers })
  expect(ended.json()).toMatchObject({
    ...{ state: 'dropped', answer: { body: { code: 'REQUEST_WITHDRAWN', outcome: 'not-sent' } } },
  })
  expect(paper.orders('mx')).toHaveLength(1)
})

test('an order that no owner takes in time ends as not sent', async () => {
  const nodes = await twoNodes(SLOW)
  const { owner, client, known, time } = nodes
  const id = await accept(nodes, { prefer: 'respond-async, wait=5' })
  const closed = owner.close()
  await eventually(() => expect(nodes.openOrders('owner')).toBe(0))
  known.owner = undefined
  await time.during(closed)
  await eventually(async () => {
    nodes.shareJournal('owner')
    const read = await nodes.asked.inject({
      ...{ url: `/api/requests/${id}`, headers: client.headers },
    })
    const body = { code: 'GATEWAY_RESTARTED', outcome: 'not-sent', retryable: true }
    expect(read.json()).toMatchObject({ state: 'dropped', answer: { body } })
  })
})

test('an owner that is none for a moment carries out what waited', async () => {
  const nodes = await twoNodes()
  nodes.known.owner = undefined
  const response = place(nodes.ownerUrl, nodes)
  await nodes.time.untilWaiting(50)
  await nodes.time.advance(1_000)
  nodes.known.owner = 'self'
  expect((await response).status).toBe(200)
  expect(nodes.paper.orders('mx')).toHaveLength(1)
})
