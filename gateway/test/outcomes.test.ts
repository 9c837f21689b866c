import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { LightMyRequestResponse } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { Fault } from '../paper-exchange/src/faults.ts'
import { parseLossless } from '../src/exchanges/protocol/lossless.ts'
import { isRecord } from '../src/exchanges/protocol/untrusted.ts'
import { readExchange } from './campaign/books.ts'
import { readTryResult } from './campaign/bot.ts'
import { type Intent, placeIntent } from './campaign/intent.ts'
import { intentOf, type OrderRoute, orderRoutes } from './outcomes-routes.ts'
import { type Outcome, outcomes, outcomesTable } from './outcomes-table.ts'
import { type OutcomesWorld, startOutcomesWorld } from './outcomes-world.ts'
import { eventually } from './support/eventually.ts'

/**
 * By what the names of their kinds begin with. Independent of one another, so that their timeouts
 * and pauses pass at the same time. v3 goes MEXC's raw way, and a unified account that of a classic
 * one, which are tried without a key too.
 */
const strands = [
  ...['mx', 'bg'].flatMap((start) => [true, false].map((hasKey) => ({ start, hasKey }))),
  { start: 'v3', hasKey: true },
  { start: 'uta', hasKey: true },
]
test.each(outcomes)('$happens: $status $code', async (outcome) => {
  const ends = await Promise.allSettled(
    strands.map(async ({ start, hasKey }) => {
      const world = await startOutcomesWorld(start === 'v3' || start === 'uta')
      onTestFinished(() => world.close())
      const { kinds } = outcome
      for (const route of orderRoutes.filter(({ kind }) => kind.startsWith(start)))
        if (kinds === undefined || kinds.includes(route.kind))
          await check(world, route, hasKey, outcome)
    }),
  )
  // Only now: no strand works on into the next row, whose faults it would clear.
  for (const end of ends) if (end.status === 'rejected') throw end.reason
})

async function check(world: OutcomesWorld, route: OrderRoute, hasKey: boolean, expected: Outcome) {
  const { paper } = world
  const name = `${route.name} ${hasKey ? 'with' : 'without'} a key`
  const intent = intentOf(route, world.nextPrice(), await restingOrder(world, route), {
    idempotencyKey: hasKey ? randomUUID() : null,
    isAsync: false,
  })
  arm(world, route, expected.fault)
  const first = await world.submit(intent)
  paper.faults.clear()
  if (expected.fault?.kind === 'wrong-clock') await learnTheTime(world, route)

  const { status, code, outcome, state } = expected
  expect(first.statusCode, `${name}: ${first.body}`).toBe(status)
  const body = bodyOf(first)
  // The raw route passes on what the exchange wrote.
  if (code !== null && (route.kind !== 'mx-raw' || outcome !== null))
    expect(body.code, name).toBe(code)
  expect(body.outcome ?? null, name).toBe(outcome)
  const id = String(first.headers['x-request-id'])
  expect((await world.status(id)).json().state, name).toBe(state)
  if (hasKey) await expectReplay(world, intent, first, name)

  if (outcome === 'unknown') {
    world.passAMinute()
    await eventually(
      async () => expect((await world.status(id)).json(), name).toMatchObject(NOT_DONE),
      50,
    )
    if (hasKey)
      expect((await world.submit(intent)).json(), name).toMatchObject(NOT_DONE.answer.body)
  }
  // Bitget changes a futures order on its own time.
  await eventually(() =>
    expect(timesCarriedOut(world, route, intent.mark), name).toBe(expected.exists ? 1 : 0),
  )
}

const NOT_DONE = {
  state: 'resolved',
  answer: { statusCode: 502, body: { code: 'NOT_CARRIED_OUT', outcome: 'not-done' } },
}

async function expectReplay(
  world: OutcomesWorld,
  intent: Intent,
  first: LightMyRequestResponse,
  name: string,
) {
  const again = await world.submit(intent)
  expect(again.statusCode, name).toBe(first.statusCode)
  expect(again.headers['idempotency-replayed'], name).toBe('true')
  expect(again.headers.location, name).toBe(`/api/requests/${first.headers['x-request-id']}`)
  if (first.statusCode === 200) expect(again.body, name).toBe(first.body)
  else expect(bodyOf(again).code, name).toBe(bodyOf(first).code)
}

/** Nothing of a body that is not JSON. */
const bodyOf = ({ body }: LightMyRequestResponse) => {
  const value = parseLossless(body)?.value
  return isRecord(value) ? value : {}
}

/** The gateway's clock follows the exchange's; the next order finds it right again. */
async function learnTheTime(world: OutcomesWorld, route: OrderRoute): Promise<void> {
  await restingOrder(world, { ...route, action: 'cancel' })
}

/** Befalls the route's own call at the exchange, once; a wrong clock is wrong for all. */
function arm({ paper }: OutcomesWorld, { kind, upstream }: OrderRoute, fault: Fault | undefined) {
  if (fault === undefined) return
  const exchange = kind.startsWith('mx') ? 'mx' : 'bg'
  const match = fault.kind === 'wrong-clock' ? { exchange } : { exchange, ...upstream }
  paper.faults.add({ ...fault, match } as Fault)
}

/** The id of an order to change or cancel; none is needed to place one. */
async function restingOrder(world: OutcomesWorld, { kind, action }: OrderRoute): Promise<string> {
  if (action === 'place') return ''
  const intent = placeIntent(kind, world.nextPrice(), false, {
    idempotencyKey: null,
    isAsync: false,
  })
  const placed = await world.submit(intent)
  const result = readTryResult(intent, placed.statusCode, parseLossless(placed.body)?.value)
  if (result.kind !== 'done') throw new Error(`No order to ${action}: ${placed.body}`)
  return result.orderId
}

/** By the exchange's own books. */
function timesCarriedOut({ paper }: OutcomesWorld, { action }: OrderRoute, mark: string): number {
  if (action !== 'cancel') return readExchange(paper).orders.get(mark)?.length ?? 0
  const digits = mark.replace(/^C\d+__/, '')
  return paper
    .orders()
    .filter(({ orderId, status }) => orderId === digits && status === 'cancelled').length
}

test('docs/outcomes.md has exactly this table', () => {
  const page = readFileSync(new URL('../../docs/outcomes.md', import.meta.url), 'utf8')
  expect(page).toContain(outcomesTable())
})
