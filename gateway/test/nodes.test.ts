import type { FastifyInstance } from 'fastify'
import {
  catalogue,
  changeClientLimits,
  type ErrorBody,
  getAuditKey,
  resumeExchange,
  stopExchange,
  testApiKey,
  withdrawRequest,
} from 'schema'
import { Agent, request } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from './support/eventually.ts'
import { shared as sharedOf } from './support/shared-app.ts'
import { type TwoNodes, twoNodes } from './support/two-nodes.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

function place({ askedUrl, client }: TwoNodes, headers: Record<string, string> = {}, more = {}) {
  return fetch(`${askedUrl}/api/mx/v1/submitOrder`, {
    method: 'POST',
    headers: { ...client.headers, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(ORDER),
    ...more,
  })
}

async function logRows(app: FastifyInstance, { asAdmin }: TwoNodes) {
  const got = await app.inject({ url: '/api/logs', headers: asAdmin })
  return got.json()
}

function statusOf(app: FastifyInstance, { client }: TwoNodes, id: string) {
  return app.inject({ url: `/api/requests/${id}`, headers: client.headers })
}

const shared = sharedOf((onEnd) => twoNodes({}, {}, onEnd))

const idOf = (response: Response) => response.headers.get('x-request-id') ?? ''

test('an order that comes to another node is placed by the owner, once', async () => {
  const nodes = shared()
  const { paper, asked, owner } = nodes
  const first = await place(nodes, { 'idempotency-key': 'k' })
  expect(first.status).toBe(200)
  expect(paper.orders('mx')).toHaveLength(1)
  expect((await statusOf(owner, nodes, idOf(first))).json()).toMatchObject({ state: 'answered' })
  // The journals of the test's nodes are two; in a group they are one.
  expect((await statusOf(asked, nodes, idOf(first))).statusCode).toBe(404)

  const again = await place(nodes, { 'idempotency-key': 'k' })
  expect(await again.text()).toBe(await first.text())
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.headers.get('location')).toBe(`/api/requests/${idOf(first)}`)
  expect(paper.orders('mx')).toHaveLength(1)
})

test('the response is that of the owner, and only the owner writes a row into the log', async () => {
  const nodes = shared()
  const response = await place(nodes)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'ratelimit-policy': expect.stringContaining('"mx"'),
    'server-timing': expect.stringMatching(/upstream;dur=\d/),
    'x-content-type-options': 'nosniff',
  })
  await eventually(async () =>
    expect(await logRows(nodes.owner, nodes)).toContainEqual(
      expect.objectContaining({ requestId: idOf(response), statusCode: 200 }),
    ),
  )
  expect(await logRows(nodes.asked, nodes)).toEqual([])
})

test('on a raw path the exchange gets the bytes that the bot sent', async () => {
  const nodes = shared()
  const body =
    '{"symbol":"BTC_USDT", "vol":10,"side":1,"type":1,"openType":1,"leverage":5,"price":50000.10}'
  const response = await fetch(`${nodes.askedUrl}/mx/api/v1/private/order/submit`, {
    method: 'POST',
    headers: { ...nodes.client.headers, 'content-type': 'application/json' },
    body,
  })
  expect(await response.json()).toMatchObject({ success: true })
  const [sent] = nodes.paper.received({ path: '/api/v1/private/order/submit' })
  expect(sent?.body).toContain(body.slice(1, -1))
})

test('a HEAD has the headers of the response to a GET, and a read is passed, which may get a kept response', async () => {
  const nodes = shared()
  const url = `${nodes.askedUrl}/mx/api/v3/ticker/price?symbol=BTCUSDT`
  const headers = { ...nodes.client.headers, 'cache-control': 'max-age=600' }
  const got = await fetch(url, { headers })
  expect(await got.json()).toMatchObject({ symbol: 'BTCUSDT' })
  const head = await fetch(url, { method: 'HEAD', headers })
  expect(head.status).toBe(200)
  expect(head.headers.get('age')).toMatch(/^\d+$/)
  expect(head.headers.get('content-length')).toBe(got.headers.get('content-length'))
})

test('what an administrator does to the exchange is done by the owner', async () => {
  const nodes = shared()
  const { owner, asked, asAdmin, client, call } = nodes
  const params = { exchange: 'mx' } as const
  const stopped = await call.asked(stopExchange, { params, body: { reason: 'a test' } })
  expect(stopped.status).toBe(200)
  const stateAt = async (app: FastifyInstance) =>
    (await app.inject({ url: '/api/admin/operations', headers: asAdmin }))
      .json()
      .exchanges.find(({ exchange }: { exchange: string }) => exchange === 'mx').state
  expect([await stateAt(owner), await stateAt(asked)]).toEqual(['stopped', 'stopped'])
  const rejected = await place(nodes)
  expect(await rejected.json()).toMatchObject({ code: 'EXCHANGE_STOPPED', outcome: 'not-sent' })
  expect(rejected.headers.get('retry-after')).toBe('60')

  await call.asked(resumeExchange, { params })
  const body = { clientId: client.clientId, exchange: 'mx' } as const
  const tested = await call.asked(testApiKey, { body })
  expect(tested.body).toMatchObject({ success: true })
})

/** As long as a bot lets a request wait for an owner. */
const NO_WAIT = { prefer: 'wait=0' }

test('the owner cannot be reached: nothing was sent, and the bot may try again', async () => {
  const nodes = await twoNodes()
  await nodes.between.refuse()
  const response = await place(nodes, NO_WAIT)
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(await response.json()).toMatchObject({
    ...{ code: 'OWNER_UNREACHABLE', outcome: 'not-sent', retryable: true },
  })
  // An earlier attempt with the same key may have reached the owner.
  const retry = await place(nodes, { 'idempotency-key': 'k', ...NO_WAIT })
  expect(await retry.json()).toMatchObject({ outcome: 'unknown', retryable: true })
  expect(await logRows(nodes.asked, nodes)).toMatchObject([
    { code: 'OWNER_UNREACHABLE' },
    { code: 'OWNER_UNREACHABLE' },
  ])

  await nodes.between.accept()
  expect((await place(nodes, { 'idempotency-key': 'k' })).status).toBe(200)
  expect(nodes.paper.orders('mx')).toHaveLength(1)
})

test('the connection breaks after the order arrived: unknown, and the key finds it', async () => {
  const nodes = await twoNodes()
  await place(nodes)
  nodes.between.mode = 'cut-responses'
  const response = await place(nodes, { 'idempotency-key': 'k' })
  expect(response.status).toBe(504)
  const error = (await response.json()) as ErrorBody
  expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown', retryable: true })
  expect(error.requestId).toBe(idOf(response))
  // The owner knows the order by the id that the bot has.
  await eventually(async () => {
    const status = await statusOf(nodes.owner, nodes, idOf(response))
    expect(status.json()).toMatchObject({ state: 'answered' })
  })

  nodes.between.mode = 'pass'
  const again = await place(nodes, { 'idempotency-key': 'k' })
  expect(again.status).toBe(200)
  expect(again.headers.get('location')).toBe(`/api/requests/${idOf(response)}`)
  expect(nodes.paper.orders('mx')).toHaveLength(2)
})

const UNKNOWN = { code: 'OUTCOME_UNKNOWN', outcome: 'unknown' }

test('a read whose connection breaks has no outcome', async () => {
  const nodes = await twoNodes()
  await place(nodes)
  nodes.between.mode = 'cut-responses'
  const response = await fetch(`${nodes.askedUrl}/mx/api/v3/account`, {
    headers: nodes.client.headers,
  })
  expect(response.status).toBe(504)
  const { sluice: error } = (await response.json()) as { sluice: ErrorBody }
  expect(error).toMatchObject({ code: 'OWNER_CONNECTION_LOST' })
  expect(error.outcome).toBeUndefined()
})

test('an owner that vanished and has a successor is not waited for', async () => {
  const nodes = await twoNodes()
  await place(nodes)
  nodes.between.mode = 'swallow'
  const response = place(nodes)
  await eventually(async () => expect(nodes.between.swallowed()).toBeGreaterThan(0))
  nodes.known.asked = { nodeId: 'third', url: 'https://127.0.0.1:1', fence: 2 }
  await nodes.time.advance(3_000)
  expect(await (await response).json()).toMatchObject(UNKNOWN)
})

const SLOW = { RATE_LIMIT_PER_SECOND: '0.2' }

/** An order that waits in the owner's queue, behind one that was just placed. */
async function placeAndWait(nodes: TwoNodes, signal: AbortSignal | null = null) {
  const { time, paper } = nodes
  const first = place(nodes)
  await time.passUntil(() => expect(paper.orders('mx')).toHaveLength(1))
  await first
  const response = place(nodes, { 'idempotency-key': 'k' }, { signal })
  const queueOf = async () =>
    (await nodes.owner.inject({ url: '/api/admin/queue', headers: nodes.asAdmin })).json()
  const [{ requestId }] = await eventually(async () => {
    const queue = await queueOf()
    expect(queue).toHaveLength(1)
    return queue
  })
  return { response, requestId, queueOf }
}

test('a bot that hangs up withdraws what still waits at the owner', async () => {
  const nodes = await twoNodes(SLOW)
  const hangUp = new AbortController()
  const { response, queueOf } = await placeAndWait(nodes, hangUp.signal)
  hangUp.abort()
  await expect(response).rejects.toThrow('aborted')
  await eventually(async () => expect(await queueOf()).toEqual([]))
  expect(nodes.paper.orders('mx')).toHaveLength(1)
})

test('an order that waits at the owner is read at any node, and withdrawn by the owner', async () => {
  const nodes = await twoNodes(SLOW)
  const { response, requestId } = await placeAndWait(nodes)
  nodes.shareJournal('owner')
  nodes.known.asked = undefined
  const status = await statusOf(nodes.asked, nodes, requestId)
  // Only the owner knows its place in the queue.
  expect(status.json()).toMatchObject({ state: 'queued', position: null })

  nodes.known.asked = nodes.remote.owner
  const params = { id: requestId }
  const withdrawn = await nodes.call.asked(withdrawRequest, { params }, nodes.client)
  expect(withdrawn.status).toBe(204)
  expect(await (await response).json()).toMatchObject({ code: 'REQUEST_WITHDRAWN' })
  expect(nodes.paper.orders('mx')).toHaveLength(1)
})

/** No node has to say that it is there: time passes faster here than a response to that comes. */
const PATIENT = { passingTimes: { silentMs: 600_000 } }

// What waited at the next owner for longer than 40 s lost its connection.
test('a node that stops waits for the owner’s responses for as long as its queue may take, and passes what still comes', async () => {
  const nodes = await twoNodes({ RATE_LIMIT_PER_SECOND: '0.04' }, PATIENT)
  const { response } = await placeAndWait(nodes)
  const kept = new Agent({ connections: 2 })
  onTestFinished(() => kept.close())
  // The connection is there before the node stops.
  await (await request(`${nodes.askedUrl}/health/live`, { dispatcher: kept })).body.dump()
  const closed = nodes.asked.close()
  const lateResponse = request(`${nodes.askedUrl}/api/mx/v1/submitOrder`, {
    ...{ method: 'POST', headers: { ...nodes.client.headers, 'content-type': 'application/json' } },
    ...{ body: JSON.stringify(ORDER), dispatcher: kept },
  })
  const both = Promise.all([lateResponse, response])
  const [late, first] = await nodes.time.during(both, { stepMs: 1_000 })
  expect([late.statusCode, first.status]).toEqual([200, 200])
  await late.body.dump()
  await nodes.time.during(closed)
  expect(nodes.paper.orders('mx')).toHaveLength(3)
})

test('a node that stops responds to what the owner has not finished by then, as far as it knows', async () => {
  const nodes = await twoNodes({ MAX_QUEUE_WAIT_SECONDS: '1' }, PATIENT)
  nodes.paper.faults.add({ kind: 'timeout-before', times: 0, match: { path: '/api/v1/private/*' } })
  const response = place(nodes)
  await eventually(() =>
    expect(nodes.paper.received({ path: '/api/v1/private/*' })).toHaveLength(1),
  )
  const closed = nodes.asked.close()
  // The wait for an owner, the one in its queue, and the one for the exchange.
  await nodes.time.untilWaiting(41_000)
  await nodes.time.advance(41_100)
  expect((await response).status).toBe(504)
  expect(await (await response).json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  await nodes.time.during(closed)
})

test('a passed request has the address of its caller, and callers cannot claim to pass one', async () => {
  const nodes = await twoNodes({ TRUST_PROXY: 'loopback' })
  const allowed = await nodes.call.owner(changeClientLimits, {
    ...{ params: { id: nodes.client.id }, body: { allowedIps: ['198.51.100.7'] } },
  })
  expect(allowed.status).toBe(200)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  expect((await place(nodes, from('198.51.100.7'))).status).toBe(200)
  expect(await (await place(nodes, from('198.51.100.8'))).json()).toMatchObject({
    code: 'ADDRESS_FORBIDDEN',
  })

  const claimed = '11111111-1111-7111-8111-111111111111'
  const forged = {
    ...{ ...from('198.51.100.8'), 'x-sluice-request-id': claimed },
    ...{ 'x-sluice-caller-address': '198.51.100.7', 'x-sluice-node': 'https://127.0.0.1:1' },
  }
  for (const url of [nodes.askedUrl, nodes.ownerUrl]) {
    const response = await place({ ...nodes, askedUrl: url }, forged)
    expect(await response.json()).toMatchObject({ code: 'ADDRESS_FORBIDDEN' })
    expect(idOf(response)).not.toBe(claimed)
  }
})

test('a secret in place of a token is checked by the node that is asked, and by the owner', async () => {
  const nodes = await twoNodes()
  const { id, clientId, clientSecret } = nodes.client
  const change = { params: { id }, body: { secretAsBearer: true } }
  await nodes.call.owner(changeClientLimits, change)
  const ask = async (secret = clientSecret) => {
    const headers = { authorization: `Bearer ${clientId}:${secret}` }
    const url = `${nodes.askedUrl}/mx/api/v3/openOrders?symbol=BTCUSDT`
    return nodes.time.during(fetch(url, { headers }).then(({ status }) => status))
  }
  expect(await ask()).toBe(401)
  // In a group they have one database: what the owner has, the other node sees.
  nodes.known.asked = 'self'
  await nodes.call.asked(changeClientLimits, change)
  nodes.known.asked = nodes.remote.owner
  expect([await ask(), await ask('sls_guess')]).toEqual([200, 401])
})

test('a request waits for the next owner, and a bot never sees that a node is not the owner', async () => {
  const nodes = await twoNodes()
  nodes.known.owner = undefined
  const response = place(nodes)
  const hasEnded = vi.fn()
  void response.then(hasEnded)
  await eventually(async () => expect(nodes.between.opened()).toBeGreaterThan(0))
  await nodes.time.advance(9_000)
  expect(hasEnded).not.toHaveBeenCalled()
  nodes.known.owner = 'self'
  expect((await response).status).toBe(200)

  nodes.known.asked = undefined
  const refused = place(nodes, { prefer: 'wait=1' })
  await nodes.time.untilWaiting(50)
  await nodes.time.advance(1_000)
  expect(await (await refused).json()).toMatchObject({
    ...{ code: 'OWNER_UNREACHABLE', outcome: 'not-sent' },
  })
  expect(nodes.paper.orders('mx')).toHaveLength(1)
})

test('a request that reaches a later run of the owner than its node knows waits until it knows that run', async () => {
  const nodes = await twoNodes()
  const { known, remote, paper, time } = nodes
  await place(nodes)
  paper.faults.add({ kind: 'slow', delayMs: 100, match: { method: 'POST' } })
  known.asked = { ...remote.owner, nodeId: 'an earlier run', fence: 0 }
  const response = place(nodes)
  await time.untilWaiting(50)
  await time.advance(3_000)
  expect(paper.orders('mx')).toHaveLength(1)
  known.asked = remote.owner
  expect((await response).status).toBe(200)
  expect(paper.orders('mx')).toHaveLength(2)
})

test('an owner that vanished without a successor is not waited for', async () => {
  const nodes = await twoNodes()
  await place(nodes)
  nodes.between.mode = 'swallow'
  const response = place(nodes)
  await eventually(async () => expect(nodes.between.swallowed()).toBeGreaterThan(0))
  await nodes.time.advance(9_000)
  expect(await (await response).json()).toMatchObject(UNKNOWN)
})

test('what only reads the database is answered without an owner', async () => {
  const { asked, asAdmin, known, remote } = shared()
  known.asked = undefined
  onTestFinished(() => void Object.assign(known, { asked: remote.owner }))
  const reads = catalogue.filter(
    ({ anywhere, params }) => anywhere === true && params === undefined,
  )
  for (const { id, path } of reads) {
    const { statusCode } = await asked.inject({ url: path, headers: asAdmin })
    expect([id, statusCode]).toEqual([id, expect.toSatisfy((status) => status < 500)])
  }
})

test('each node signs exports of the audit trail with the same key', async () => {
  const { asked, owner, asAdmin } = shared()
  const keyOf = (app: FastifyInstance) => app.inject({ url: getAuditKey.path, headers: asAdmin })
  const [key, atOwner] = [await keyOf(asked), await keyOf(owner)]
  expect(key.json()).toEqual({
    key: expect.stringMatching(/^[\w-]{43}$/),
    trail: expect.any(String),
  })
  expect(atOwner.json()).toEqual(key.json())
})

test('the owner counts attempts to sign in at each node, by the address of their caller', async () => {
  const { asked, owner } = await twoNodes()
  const signIn = (app: FastifyInstance) =>
    app.inject({
      method: 'POST',
      url: '/auth/login',
      payload: { email: 'nobody@example.com', password: 'wrong wrong wrong' },
    })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 10; attempt += 1) statuses.push((await signIn(asked)).statusCode)
  expect(new Set(statuses)).toEqual(new Set([401]))
  expect((await signIn(owner)).statusCode).toBe(429)
  expect((await signIn(asked)).statusCode).toBe(429)
})

test('a bot gets its token at any node, as JSON and as a form', async () => {
  const { askedUrl, between, client } = await twoNodes()
  const { clientId, clientSecret } = client
  const form = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
  })
  const byForm = await fetch(`${askedUrl}/oauth/token`, { method: 'POST', body: form })
  expect(await byForm.json()).toMatchObject({ token_type: 'Bearer' })
  expect(between.opened()).toBeGreaterThan(0)
})
