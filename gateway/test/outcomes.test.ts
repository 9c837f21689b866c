import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { LightMyRequestResponse } from 'fastify'
import { getRequest, urlOf } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import type { Fault } from '../paper-exchange/src/faults.ts'
import { parseLossless } from '../src/exchanges/protocol/lossless.ts'
import { isRecord } from '../src/exchanges/protocol/untrusted.ts'
import type { TestClient } from './app.ts'
import { readTryResult } from './campaign/bot.ts'
import { type Intent, placeIntent } from './campaign/intent.ts'
import { intentOf, type OrderRoute, orderRoutes } from './outcomes-routes.ts'
import { NEVER_MS, type Outcome, outcomes, outcomesTable } from './outcomes-table.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { IS_LONG } from './support/is-long.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

// Which outcome an order has is decided on the one way that all orders go; a route differs in how
// it writes its call and reads the response. So two routes meet all outcomes, and all routes meet
// four.

const LIMIT_SECONDS = 20
const time = createSetTime()
let exchangeAheadMs = 0
const shared = sharedApp({
  env: { UPSTREAM_TIMEOUT_SECONDS: `${LIMIT_SECONDS}` },
  time,
  app: { reconcile: { callerPausesMs: [0, 10, 20], backgroundPausesMs: [50, 100] } },
  paper: {
    nowMs: () => time.now() + exchangeAheadMs,
    // Its own rate limits are not what is tested.
    monotonicMs: () => performance.now() * 1_000,
  },
})
let bots: { classic: TestClient; unified: TestClient }
beforeEach(createBots)
async function createBots() {
  const { client } = shared()
  bots = { classic: await client(), unified: await client(undefined, { unified: true }) }
}
const botOf = ({ kind }: { kind: string }) =>
  /^(?:v3|uta)/.test(kind) ? bots.unified : bots.classic

const keys = [true, false]
const [documented, dropIn] = ['MEXC futures order', 'Bitget v3 futures order'].map(routeCalled)
const raw = routeCalled('MEXC raw order')

test.each(outcomes)('$happens: $status $code', async (outcome) => {
  const { kinds = orderRoutes.map(({ kind }) => kind) } = outcome
  const routes = IS_LONG ? orderRoutes : [documented, kinds.includes('v3-futures') ? dropIn : raw]
  for (const route of routes) {
    // The time limits of all routes together are longer than a token is valid.
    if (IS_LONG) await createBots()
    for (const hasKey of IS_LONG ? keys : [route === documented])
      if (route !== undefined && kinds.includes(route.kind)) await check(route, hasKey, outcome)
  }
})

const EVERYWHERE = [
  'nothing special',
  'HTTP 429, once',
  'carried out, connection reset',
  'not carried out, connection reset',
]
test.each(orderRoutes)(
  '$name: sent again after 429, found, or known as not done',
  async (route) => {
    for (const outcome of outcomes)
      if (EVERYWHERE.includes(outcome.happens)) await check(route, true, outcome)
  },
)

function routeCalled(name: string): OrderRoute | undefined {
  return orderRoutes.find((route) => route.name === name)
}

async function check(route: OrderRoute, hasKey: boolean, expected: Outcome) {
  const { status, code, outcome, state, exists, fault } = expected
  const name = `${route.name} ${hasKey ? 'with' : 'without'} a key`
  const intent = intentOf(route, nextPrice(), await restingOrder(route), {
    idempotencyKey: hasKey ? randomUUID() : null,
    isAsync: false,
  })
  arm(route, fault)
  const sent = submit(intent)
  await letTimePass(route, intent, expected)
  const first = await sent
  shared().paper.faults.clear()
  if (fault?.kind === 'wrong-clock') await learnTheTime()

  expect(first.statusCode, `${name}: ${first.body}`).toBe(status)
  const body = ownErrorOf(bodyOf(first))
  // The raw route passes on what the exchange wrote.
  if (code !== null && (route.kind !== 'mx-raw' || outcome !== null))
    expect(body.code, name).toBe(code)
  expect(body.outcome ?? null, name).toBe(outcome)
  const statusNow = async () => {
    const url = urlOf(getRequest, { params: { id: `${first.headers['x-request-id']}` } })
    const now = (await shared().app.inject({ url, headers: botOf(route).headers })).json()
    if (route.kind === 'mx-raw' && now.answer?.body.sluice !== undefined)
      expect(now.answer.body, name).toMatchObject(FAILED_AT_MEXC)
    return { ...now, answer: now.answer && { ...now.answer, body: ownErrorOf(now.answer.body) } }
  }
  expect((await statusNow()).state, name).toBe(state)
  if (hasKey) await expectReplay(intent, first, name)

  if (outcome === 'unknown') {
    // After a minute an order that is nowhere was not placed.
    exchangeAheadMs += 61_000
    await eventually(async () => expect(await statusNow(), name).toMatchObject(NOT_DONE))
    if (hasKey)
      expect(ownErrorOf((await submit(intent)).json()), name).toMatchObject(NOT_DONE.answer.body)
    await learnTheTime()
  }
  // Bitget changes a futures order on its own time.
  await eventually(() => expect(timesCarriedOut(intent), name).toBe(exists ? 1 : 0))
}

/** In the form of MEXC futures. */
const FAILED_AT_MEXC = {
  success: false,
  code: 26,
  message: expect.stringMatching(/^NOT_CARRIED_OUT: /),
}
const NOT_DONE = {
  state: 'resolved',
  answer: { statusCode: 502, body: { code: 'NOT_CARRIED_OUT', outcome: 'not-done' } },
}

/** The gateway's clocks follow those of the exchanges: the next order finds them right. */
async function learnTheTime() {
  const { headers } = bots.classic
  for (const url of ['/mx/api/v1/private/account/assets', '/bg/api/v2/spot/account/assets'])
    expect((await shared().app.inject({ url, headers })).statusCode).toBe(200)
}

/** As much as the fault needs: the time limit, once the call arrived, or the pause of the lane. */
async function letTimePass({ upstream }: OrderRoute, intent: Intent, { fault, exists }: Outcome) {
  const { method, path } = upstream
  const arrivals = () =>
    shared()
      .paper.received({ path })
      .filter((each) => each.method === method).length
  const kind = fault?.kind ?? ''
  if (kind.startsWith('timeout') || fault?.delayMs === NEVER_MS) {
    await eventually(() => expect(arrivals()).toBe(1), 5)
    if (exists) await eventually(() => expect(timesCarriedOut(intent)).toBe(1), 5)
    await time.advance(LIMIT_SECONDS * 1_000)
  }
  if (['429', '418', '510'].includes(kind))
    await time.passUntil(() => expect(arrivals()).toBe(2), {
      ...{ stepMs: 250, unlessMs: LIMIT_SECONDS * 1_000 },
    })
}

async function expectReplay(intent: Intent, first: LightMyRequestResponse, name: string) {
  const again = await submit(intent)
  expect(again.statusCode, name).toBe(first.statusCode)
  expect(again.headers['idempotency-replayed'], name).toBe('true')
  if ([429, 503].includes(first.statusCode))
    expect('retry-after' in again.headers, name).toBe('retry-after' in first.headers)
  expect(again.headers.location, name).toBe(`/api/requests/${first.headers['x-request-id']}`)
  if (first.statusCode === 200) expect(again.body, name).toBe(first.body)
  else expect(bodyOf(again).code, name).toBe(bodyOf(first).code)
}

function submit({ kind, path, body, idempotencyKey }: Intent) {
  const key = idempotencyKey === null ? {} : { 'idempotency-key': `"${idempotencyKey}"` }
  return shared().app.inject({
    ...{ method: 'POST', url: path, payload: body },
    headers: { ...botOf({ kind }).headers, ...key },
  })
}

/** Nothing of a body that is not JSON. */
const bodyOf = ({ body }: LightMyRequestResponse) => {
  const value = parseLossless(body)?.value
  return isRecord(value) ? value : {}
}

let price = 200_001
/** A price that no order has yet. */
function nextPrice(): string {
  price += 10
  return `${Math.floor(price / 10)}.${price % 10}`
}

/** Befalls the route's own call at the exchange, once; a wrong clock is wrong for all. */
function arm({ kind, upstream }: OrderRoute, fault: Fault | undefined) {
  const { paper } = shared()
  paper.clearReceived()
  if (fault === undefined) return
  const exchange = kind.startsWith('mx') ? 'mx' : 'bg'
  const match = fault.kind === 'wrong-clock' ? { exchange } : { exchange, ...upstream }
  paper.faults.add({ ...fault, match } as Fault)
}

/** The id of an order to change or cancel; none is needed to place one. */
async function restingOrder({ kind, action }: OrderRoute): Promise<string> {
  if (action === 'place') return ''
  const habit = { idempotencyKey: null, isAsync: false }
  const intent = placeIntent(kind, nextPrice(), false, habit)
  const placed = await submit(intent)
  const result = readTryResult(intent, placed.statusCode, parseLossless(placed.body)?.value)
  if (result.kind !== 'done') throw new Error(`No order to ${action}: ${placed.body}`)
  return result.orderId
}

/** By the exchange's own books. */
function timesCarriedOut({ action, mark }: Intent): number {
  const orders = shared().paper.orders()
  if (action === 'place') return orders.filter((order) => order.price === mark).length
  const digits = mark.replace(/^C\d+__/, '')
  return orders.filter(({ orderId, status }) => orderId === digits && status === 'cancelled').length
}

test('docs/outcomes.md has exactly this table', () => {
  const page = readFileSync(new URL('../../docs/outcomes.md', import.meta.url), 'utf8')
  expect(page).toContain(outcomesTable())
})
