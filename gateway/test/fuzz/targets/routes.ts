import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { finalStates, readJournal } from '../../campaign/journal.ts'
import type { Target } from '../target.ts'
import { createWorld, leakIn, OTHER, type World } from '../world.ts'
import { type Call, call, type Who } from './route-calls.ts'
import { checkResponse, send } from './route-responses.ts'

/** Requests to one gateway, which begins anew for each run: its state follows from the input. */
const PER_RUN = 150
/** So many at once. */
const TOGETHER = 10
const ANSWER_MS_MAX = 60_000

const input = fc.record({
  calls: fc.array(call, { minLength: PER_RUN, maxLength: PER_RUN }),
  /** Over a socket, or handed to the app as if it had come over one. */
  isReal: fc.boolean(),
})

/** Whatever a caller sends, the response is a declared one, and the books agree. */
export const routes: Target = {
  name: 'routes',
  about: 'all routes of the catalogue, for every kind of caller, with a database and an exchange',
  weight: 40,
  open: async () => ({
    inputsPerRun: PER_RUN,
    isSlow: true,
    property: fc.asyncProperty(input, async ({ calls, isReal }) => {
      const folder = mkdtempSync(join(tmpdir(), 'sluice-fuzz-'))
      const database = join(folder, 'sluice.db')
      const world = await createWorld({ env: { DATABASE_URL: `file:${database}` } })
      try {
        if (isReal) await world.app.listen({ host: '127.0.0.1', port: 0 })
        const hidden = await placeOfOther(world)
        for (let at = 0; at < calls.length; at += TOGETHER) {
          const batch = calls.slice(at, at + TOGETHER)
          await Promise.all(batch.map((each) => check(world, each, isReal, hidden)))
          await resumeAll(world)
        }
        await checkBooks(world, database)
      } finally {
        await world.close()
        rmSync(folder, { recursive: true, force: true })
      }
    }),
  }),
}

const SYMBOL_PRICE = '20011.37'

/** An order of the other client; what the run must not show to anybody but administrators. */
async function placeOfOther({ app, other }: World): Promise<readonly string[]> {
  const placed = await app.inject({
    method: 'POST',
    url: '/api/mx/v1/submitOrder',
    headers: { ...other.headers, 'idempotency-key': '"k1"' },
    payload: {
      ...{ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: SYMBOL_PRICE },
      clientOrderId: 'zz-hidden-order',
    },
  })
  assert.equal(placed.statusCode, 200, placed.body)
  return [SYMBOL_PRICE, 'zz-hidden-order', String(placed.json().orderId), OTHER]
}

async function check(
  world: World,
  sent: Call,
  isReal: boolean,
  hidden: readonly string[],
): Promise<void> {
  const { endpoint, who, method, url, payload } = sent
  const authorization: Readonly<Record<Who, { authorization?: string }>> = {
    nobody: {},
    bot: world.bot.headers,
    viewer: world.asViewer,
    operator: world.asOperator,
    admin: world.asAdmin,
    rubbish: { authorization: 'Bearer e30.e30.e30' },
  }
  const headers = { ...sent.headers, ...authorization[who] }
  const startedMs = performance.now()
  const received = await Promise.race([
    send(world, sent, headers, isReal),
    sleep(ANSWER_MS_MAX, undefined, { ref: false }),
  ])
  assert.ok(
    received !== undefined,
    `no response: ${endpoint.id} as ${who}: ${method} ${url} ${JSON.stringify(sent.headers)} ${payload}`,
  )
  const { status, body } = received
  const what = () =>
    `${endpoint.id} as ${who}: ${method} ${url} ${JSON.stringify(sent.headers)} ${payload} brought ${status} ${body.slice(0, 600)}`
  assert.ok(performance.now() - startedMs < ANSWER_MS_MAX, `it took too long: ${what()}`)
  assert.ok(status >= 200 && status < 600, what())
  const id = received.headers['x-request-id']
  assert.ok(typeof id === 'string' && id !== '', `no x-request-id: ${what()}`)
  const text = JSON.stringify(received.headers) + body
  assert.equal(leakIn(world.secrets, text), undefined, `a secret is in the response: ${what()}`)
  if (who === 'nobody' || who === 'bot' || who === 'rubbish') {
    const said = `${url} ${decoded(url)} ${payload ?? ''} ${JSON.stringify(sent.headers)}`
    const shown = hidden.find((each) => text.includes(each) && !said.includes(each))
    assert.equal(shown, undefined, `data of another client: ${what()}`)
  }
  checkResponse(sent, received, what)
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url // The caller broke the encoding: nothing of it was understood.
  }
}

/** So that one stop does not make the rest of the run a list of refusals. */
async function resumeAll({ app, asAdmin }: World): Promise<void> {
  for (const at of ['/resume', '/exchanges/mx/resume', '/exchanges/bg/resume'])
    await app.inject({ method: 'POST', url: `/api/admin${at}`, headers: asAdmin })
}

const PLACING = /submitOrder|place-order|private\/order\/(?:submit|create)|api\/v3\/order$/
const SETTLE_MS = 60_000

/** Each order at the exchange is one that the journal says was placed, and the other way round. */
async function checkBooks({ paper }: World, database: string): Promise<void> {
  const startedMs = performance.now()
  const isRunning = () => readJournal(database).some(({ state }) => !finalStates.has(state))
  while (isRunning() && performance.now() - startedMs < SETTLE_MS) await sleep(50)
  const journal = readJournal(database)
  const unfinished = journal.filter(({ state }) => !finalStates.has(state))
  assert.deepEqual(unfinished, [], 'orders without an end')
  const done = journal.filter(({ state }) => state === 'answered' || state === 'resolved')
  for (const { orderId } of paper.orders())
    assert.ok(
      done.some(({ body }) => body?.includes(orderId)),
      `the exchange has the order ${orderId} and the journal does not`,
    )
  const placed = done.filter(
    ({ endpoint, statusCode }) => PLACING.test(endpoint) && statusCode === 200,
  )
  for (const { id, body } of placed)
    assert.ok(
      paper.orders().some(({ orderId }) => body?.includes(orderId)),
      `the journal says that ${id} was placed, and the exchange has no such order: ${body}`,
    )
  const ids = paper.orders().map(({ orderId }) => orderId)
  assert.ok(placed.length <= ids.length, `${placed.length} placed, ${ids.length} at the exchange`)
}
