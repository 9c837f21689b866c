import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { catalogue, type Endpoint } from 'schema'
import { Compile } from 'typebox/compile'
import { finalStates, readJournal } from '../../crash/journal-book.ts'
import { declaredCodes } from '../declared-codes.ts'
import { editedText, hostileText, jsonValueText, mutatedJson } from '../hostile.ts'
import { parameterTexts, valuesOf } from '../schema-values.ts'
import type { Target } from '../target.ts'
import { createWorld, leakIn, OTHER, type World } from '../world.ts'

/** Requests to one gateway, which begins anew for each run: its state follows from the input. */
const PER_RUN = 150
/** So many at once. */
const TOGETHER = 10
const ANSWER_MS_MAX = 15_000

type Who = 'nobody' | 'bot' | 'viewer' | 'operator' | 'admin' | 'rubbish'

/** They end what the other requests of a run need; each has tests of its own. */
const RARE = new Set([
  ...['stopExchange', 'stopEverything', 'stopClient', 'deleteClient', 'toggleClient', 'logout'],
  ...['changePassword', 'endOwnSession', 'endSessionsOfPerson', 'deleteApiKey', 'changePerson'],
  ...['rotateClientSecret', 'endOldSecret', 'saveApiKey', 'resetPassword', 'dropQueueOfClient'],
])
const common = catalogue.filter(({ id }) => !RARE.has(id))
const rare = catalogue.filter(({ id }) => RARE.has(id))

/** Reasons of the gateway, the exchange or the load, which no form of a request makes. */
const DECLARED_5XX = new Set([
  ...['EXCHANGE_STOPPED', 'EXCHANGE_ANSWER_UNCLEAR', 'EXCHANGE_TIMEOUT', 'EXCHANGE_UNREACHABLE'],
  ...['EXCHANGE_CONNECTION_LOST', 'EXCHANGE_TIME_REFUSED', 'EXCHANGE_ACCOUNT_KIND_REFUSED'],
  ...['QUEUE_FULL', 'QUEUE_WAIT_TOO_LONG', 'QUEUE_DEADLINE_PASSED', 'QUEUE_ENTRY_DROPPED'],
  ...['SIGN_IN_BUSY', 'GATEWAY_STOPPING'],
])

interface Call {
  readonly endpoint: Endpoint
  readonly who: Who
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string | undefined
}

/** Ids that a run has: clients and people begin at 1. */
const KNOWN = ['1', '2', '3', 'mx', 'bg', 'a-bot', OTHER, 'admin@sluice.test', 'own-1', '0', 'x']

function urlsOf({ path, params, query, sample }: Endpoint): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const filled = fc
    .tuple(
      ...names.map((name) =>
        fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom(...KNOWN) },
          { weight: 2, arbitrary: parameterTexts(params?.properties[name] ?? {}) },
        ),
      ),
    )
    .map((values) => {
      let at = 0
      return path.replaceAll(/\{\w+\}/g, () => {
        const value = String(values[at])
        at += 1
        return encodeURIComponent(value.toWellFormed())
      })
    })
  const fields = Object.entries(query?.properties ?? {})
  const pair = fc.oneof(
    ...fields.map(([name, each]) =>
      parameterTexts(each).map((text): [string, string] => [name, text]),
    ),
    fc.tuple(fc.oneof(hostileText, fc.constantFrom('symbol', 'limit', 'cursor')), hostileText),
  )
  const sampled = Object.entries(sample?.query ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const queries = fc.tuple(fc.boolean(), fc.array(pair, { maxLength: 3 }))
  const urls = fc.tuple(filled, queries).map(([text, [withSample, more]]) => {
    const pairs = [...(withSample ? sampled : []), ...more].map(
      ([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()],
    )
    return pairs.length === 0 ? text : `${text}?${new URLSearchParams(pairs)}`
  })
  const edited = editedText(urls).map((text) => `/${text.replaceAll(/[^\x21-\x7e]/g, '%7f')}`)
  return fc.oneof({ weight: 12, arbitrary: urls }, { weight: 1, arbitrary: edited })
}

function bodiesOf({ body, sample }: Endpoint): fc.Arbitrary<string | undefined> {
  if (body === undefined)
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: jsonValueText },
    )
  return fc.oneof(
    { weight: 4, arbitrary: mutatedJson(sample?.body ?? {}) },
    { weight: 3, arbitrary: valuesOf(body).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: valuesOf(body).chain(mutatedJson) },
    { weight: 1, arbitrary: editedText(fc.constant(JSON.stringify(sample?.body ?? {}))) },
    { weight: 1, arbitrary: jsonValueText },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

function ownWho({ access }: Endpoint): fc.Arbitrary<Who> {
  if (access === 'client') return fc.constant('bot')
  if (access === 'public') return fc.constant('nobody')
  return fc.constantFrom<Who>('admin', 'admin', 'operator', 'viewer')
}

const FORM = 'application/x-www-form-urlencoded'

function callsOf(endpoint: Endpoint): fc.Arbitrary<Call> {
  return fc.record({
    endpoint: fc.constant(endpoint),
    who: fc.oneof(
      { weight: 6, arbitrary: ownWho(endpoint) },
      {
        weight: 2,
        arbitrary: fc.constantFrom<Who>('nobody', 'bot', 'viewer', 'operator', 'admin', 'rubbish'),
      },
    ),
    method: fc.oneof(
      { weight: 15, arbitrary: fc.constant<string>(endpoint.method) },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD') },
    ),
    url: urlsOf(endpoint),
    headers: fc
      .record(
        {
          'content-type': fc.constantFrom(
            ...[FORM, 'text/plain', 'application/json; charset=latin1', 'multipart/form-data', ''],
          ),
          'idempotency-key': fc.oneof(
            fc.constantFrom('"k1"', 'k2', '"k3"'),
            fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
          ),
          prefer: fc.constantFrom('wait=2', 'respond-async', 'wait=99999999', 'wait="x"', ',;='),
          accept: fc.constantFrom('text/html', '*/*;q=0', ''),
          'accept-encoding': fc.constantFrom('gzip', 'br', 'x'),
          origin: fc.constantFrom('http://localhost:8081', 'http://evil.test', 'null'),
          paptrading: fc.constantFrom('1', '0', 'x'),
          'x-forwarded-for': fc.constantFrom('1.2.3.4', 'x', '::1, 1.1.1.1'),
          range: fc.constantFrom('bytes=0-1', 'x'),
          'if-none-match': fc.constantFrom('*', '"x"'),
        },
        { requiredKeys: [] },
      )
      .map((headers) => ({
        'content-type': endpoint.bodyType ?? 'application/json',
        ...headers,
      })),
    payload: bodiesOf(endpoint),
  })
}

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 60, arbitrary: fc.oneof(...common.map(callsOf)) },
  { weight: 1, arbitrary: fc.oneof(...rare.map(callsOf)) },
)

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

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
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
    isReal ? overHttp(world, sent, headers) : handed(world, sent, headers),
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
  if (status >= 400) checkError(sent, received, what)
  else checkSuccess(sent, received, what)
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url // The caller broke the encoding: nothing of it was understood.
  }
}

/** The drop-in doors pass on what the exchange says. */
const isDropIn = ({ path }: Endpoint) => /^\/api\/(?:v3|v1\/private|v1\/contract)\//.test(path)

function checkError({ endpoint, method }: Call, { status, body }: Received, what: () => string) {
  if (method === 'HEAD') return assert.ok(status < 500, what())
  const parsed = parse(body)
  const { code } = Object(parsed)
  if (typeof code !== 'string' || !('requestId' in Object(parsed))) {
    // An exchange's own response on its own path; readiness says what is not ready.
    const isOther = isDropIn(endpoint) || /^\/(?:mx|bg|health)/.test(endpoint.path)
    return assert.ok(isOther && status < 500, `no error of this API: ${what()}`)
  }
  assert.ok(declaredCodes.has(code), `the code ${code} is not declared: ${what()}`)
  assert.notEqual(code, 'INTERNAL_ERROR', what())
  if (status >= 500) assert.ok(DECLARED_5XX.has(code), `a server error: ${what()}`)
}

function checkSuccess(
  { endpoint, method, url }: Call,
  { status, headers, body }: Received,
  what: () => string,
): void {
  const isOwn = method === endpoint.method && !isDropIn(endpoint)
  const isJson = /^application\/json(?:;|$)/.test(String(headers['content-type']))
  if (!isOwn || status !== (endpoint.status ?? 200) || headers['content-encoding'] !== undefined)
    return
  if (endpoint.response === undefined || !isJson || !isPathOf(endpoint, url)) return
  const value = parse(body)
  assert.ok(validatorOf(endpoint).Check(value), `not as declared: ${what()}`)
}

/** An edited address may be that of another endpoint. */
function isPathOf({ path }: Endpoint, url: string): boolean {
  const [asked = ''] = url.split('?')
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked)
}

const validators = new Map<string, ReturnType<typeof Compile>>()

function validatorOf({ id, response }: Endpoint): ReturnType<typeof Compile> {
  const known = validators.get(id)
  if (known !== undefined) return known
  if (response === undefined) throw new Error(`${id} has no response`)
  const made = Compile(response)
  validators.set(id, made)
  return made
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The caller of this says what that means.
  }
}

async function handed(
  { app }: World,
  { method, url, payload }: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Received> {
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...headers },
    ...(payload === undefined || method === 'GET' || method === 'HEAD' ? {} : { payload }),
  })
  return { status: response.statusCode, headers: response.headers, body: response.body }
}

function overHttp(
  { app }: World,
  { method, url: path, payload }: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Received> {
  const { port } = app.server.address() as AddressInfo
  const body = method === 'GET' || method === 'HEAD' ? '' : (payload ?? '')
  const length = body === '' ? {} : { 'content-length': `${Buffer.byteLength(body)}` }
  return new Promise((resolve, reject) => {
    const options = { port, method, path, headers: { ...headers, ...length } }
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** So that one stop does not make the rest of the run a list of refusals. */
async function resumeAll({ app, asAdmin }: World): Promise<void> {
  for (const at of ['/resume', '/exchanges/mx/resume', '/exchanges/bg/resume'])
    await app.inject({ method: 'POST', url: `/api/admin${at}`, headers: asAdmin })
}

const PLACING = /submitOrder|place-order|private\/order\/(?:submit|create)|api\/v3\/order$/
const SETTLE_MS = 10_000

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
