import { getRequest, healthReady, mxSubmitOrder, urlOf } from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { PaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { createBotClient, signIn } from './campaign/clients.ts'
import type { Gateway, GatewayExit } from './campaign/gateway.ts'
import { readJournal, readLog } from './campaign/journal.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { restarts } from './support/restarts.ts'

// Several processes start in each test, on machines that do other things as well.
vi.setConfig({ testTimeout: 300_000 })

const UPSTREAM_TIMEOUT_SECONDS = 60
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

const setting = (env: Record<string, string> = {}) =>
  restarts({ UPSTREAM_TIMEOUT_SECONDS: `${UPSTREAM_TIMEOUT_SECONDS}`, ...env })

/** Places an order for each bot. */
async function bot(url: string, paper: PaperExchange) {
  const headers = await signIn(url, await createBotClient(url, paper.accounts, 'bot'))
  return {
    headers,
    place: () =>
      fetch(`${url}${mxSubmitOrder.path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(ORDER),
      }),
  }
}

/** Resolves when the exchange has the first order, which it then holds. */
const firstOrderArrived = (paper: PaperExchange) =>
  expect
    .poll(() => paper.received({ path: '/api/v1/private/order/create' }).length, {
      ...{ timeout: 60_000, interval: 10 },
    })
    .toBe(1)

const statusOf = async (url: string) => (await fetch(`${url}${healthReady.path}`)).status
const untilNotReady = (url: string) => expect.poll(() => statusOf(url), { interval: 5 }).toBe(503)

const exitOf = async (gateway: Gateway): Promise<Omit<GatewayExit, 'stderr'>> => {
  const { code, signal } = await gateway.ended
  return { code, signal }
}

test('a stopping gateway takes no work, finishes calls in flight, and fails queued ones as not sent', async () => {
  const network = await startHoldingProxy(() => Number(new URL(world.paper.url).port))
  onTestFinished(() => network.close())
  const world = await setting({ MEXC_FUTURES_URL: `http://127.0.0.1:${network.port}` })
  const { paper, databasePath: database } = world
  const gateway = world.spawn()
  const url = await gateway.url
  const { headers, place } = await bot(url, paper)
  // The first order arrives, and its response waits until the gateway stops.
  network.cutAfter('/order/create')
  const placed = Array.from({ length: 20 }, place)
  await firstOrderArrived(paper)
  await expect.poll(() => readJournal(database), { timeout: 60_000 }).toHaveLength(20)

  const stoppedAt = performance.now()
  gateway.signal('SIGTERM')
  // Read while the gateway still responds: later nobody listens there.
  await untilNotReady(url)
  network.heal(true)

  const responses = await Promise.all(
    placed.map(async (sent) => {
      const response = await sent
      const { status, headers } = response
      const [id, retryAfter] = [headers.get('x-request-id'), headers.get('retry-after')]
      return { status, id, retryAfter, body: (await response.json()) as object }
    }),
  )
  const [done, ...others] = responses.toSorted((a, b) => a.status - b.status)
  expect(done).toMatchObject({ status: 200, body: { success: true } })
  for (const other of others)
    expect(other).toMatchObject({
      ...{ status: 503, retryAfter: '10' },
      body: { code: 'GATEWAY_STOPPING', outcome: 'not-sent', requestId: other.id },
    })

  expect(await exitOf(gateway)).toEqual({ code: 0, signal: null })
  expect(performance.now() - stoppedAt).toBeLessThan((UPSTREAM_TIMEOUT_SECONDS + 5) * 1000)
  expect(paper.orders('mx')).toHaveLength(1)
  const ids = responses.map(({ id }) => id).toSorted()
  const journal = readJournal(database)
  expect(journal.map(({ id }) => id).toSorted()).toEqual(ids)
  expect(new Set(journal.map(({ state }) => state))).toEqual(new Set(['answered', 'dropped']))
  const logged = readLog(database).filter(({ endpoint }) => endpoint === mxSubmitOrder.path)
  expect(logged.map(({ requestId }) => requestId).toSorted()).toEqual(ids)

  const next = await world.start()
  const address = urlOf(getRequest, { params: { id: String(done?.id) } })
  const asked = await fetch(`${next.url}${address}`, { headers })
  expect(await asked.json()).toMatchObject({ state: 'answered' })
})

// A balancer that looks every few seconds sent requests to a gateway that no longer listened.
test('a gateway with a drain is not ready at once, and takes orders until the drain is over', async () => {
  const world = await setting({ DRAIN_SECONDS: '6' })
  const gateway = world.spawn()
  const url = await gateway.url
  const { place } = await bot(url, world.paper)
  expect((await place()).headers.get('connection')).toBe('keep-alive')

  const stoppedAt = performance.now()
  gateway.signal('SIGTERM')
  await untilNotReady(url)
  const placed = await place()
  expect(placed.status).toBe(200)
  expect(placed.headers.get('connection')).toBe('close')
  expect(await exitOf(gateway)).toEqual({ code: 0, signal: null })
  expect(performance.now() - stoppedAt).toBeGreaterThanOrEqual(6_000)
  expect(world.paper.orders('mx')).toHaveLength(2)
})

// The stop ended the look-up with an error, which was recorded as a rejection by the exchange.
test('an order in doubt when the gateway stops is reported as unknown, and known after the next start', async () => {
  const world = await setting()
  const { paper, databasePath: database } = world
  const gateway = world.spawn()
  const url = await gateway.url
  const { headers, place } = await bot(url, paper)
  paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
  paper.faults.add({ kind: '5xx', match: { path: '/api/v1/private/order/external/*' }, times: 0 })
  const lost = place()
  await expect.poll(() => readJournal(database).at(-1)?.state, { timeout: 60_000 }).toBe('unknown')
  gateway.signal('SIGTERM')
  const response = await lost
  expect(response.status).toBe(504)
  expect(await response.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  expect(await exitOf(gateway)).toEqual({ code: 0, signal: null })
  expect(readJournal(database).at(-1)?.state).toBe('unknown')
  paper.faults.clear()

  const { url: next } = await world.start()
  const address = urlOf(getRequest, {
    params: { id: String(response.headers.get('x-request-id')) },
  })
  await expect
    .poll(async () => (await fetch(`${next}${address}`, { headers })).json(), { timeout: 60_000 })
    .toMatchObject({ state: 'resolved', answer: { statusCode: 200 } })
})

// Copies of one stop, which npm makes, cut the order off.
test('a signal that is repeated within two seconds is the same stop; after that it ends the gateway at once', async () => {
  const world = await setting({ UPSTREAM_TIMEOUT_SECONDS: '120' })
  const { paper } = world
  const gateway = world.spawn()
  const url = await gateway.url
  const { place } = await bot(url, paper)
  paper.faults.add({ kind: 'timeout-before', match: { method: 'POST' } })
  const placed = place().catch(() => 'broken')
  await firstOrderArrived(paper)
  const stoppedAt = performance.now()
  gateway.signal('SIGTERM')
  await untilNotReady(url)
  const repeated = setInterval(() => gateway.signal('SIGTERM'), 100)
  onTestFinished(() => clearInterval(repeated))
  expect(await exitOf(gateway)).toEqual({ code: 1, signal: null })
  expect(performance.now() - stoppedAt).toBeGreaterThanOrEqual(2_000)
  expect(performance.now() - stoppedAt).toBeLessThan(60_000)
  expect(await placed).toBe('broken')
})

test('a second gateway on the same database stops with a named error', async () => {
  const world = await setting()
  const first = world.spawn()
  const url = await first.url
  const second = world.spawn()
  const { code, stderr } = await second.ended
  expect(code).toBe(1)
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^Another gateway runs on the database .*sluice\.db; stop it first/),
  ])
  expect(await statusOf(url)).toBe(200)

  await first.end('SIGKILL')
  expect(await statusOf((await world.start()).url)).toBe(200)
})
