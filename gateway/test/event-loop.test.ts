import { catalogue, type Endpoint, streamEvents } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { IS_LONG } from './support/is-long.ts'
import { slowness, watchTurns } from './support/longest-turn.ts'
import { recordingUpstream } from './support/recording-upstream.ts'
import { sampleCall } from './support/sample-call.ts'
import { shared } from './support/shared-app.ts'
import { wideJson, widePairs } from './support/wide-values.ts'

// A batch of 255 KiB held the event loop for half a second: one client with three of them a second
// kept every caller waiting. Whatever a request has in it, others wait no longer than this for it:
// CPU time of the thread, less where a fixed piece of work takes more of it than on a quiet
// machine.
const HOLD_MS = 20
/** The first try of a new kind is slow for reasons of the engine: what counts is the best. */
const TRIES = 8

const BODY_BYTES = 255 * 1024
const DROP_IN_BODY_BYTES = 127 * 1024
const AUTH_BODY_BYTES = 8 * 1024 - 100
const QUERY_CHARACTERS = 8_000
const HEADER_CHARACTERS = 15_000
/** What a body may have, with some to spare. */
const VALUES = 1_450

const upstream = await recordingUpstream()
const { url: origin } = upstream
const world = shared(async (onEnd) => {
  const env = { MEXC_SPOT_URL: origin, MEXC_FUTURES_URL: origin, BITGET_URL: origin }
  const t = await testApp({ env, onEnd })
  return { t, bot: await t.client() }
})

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

interface Route {
  readonly name: string
  readonly method: Endpoint['method'] | 'PUT'
  readonly url: string
  readonly access: Endpoint['access']
  /** Whether its query is more than passed over. */
  readonly readsQuery: boolean
  /** @param isWhole also what is parsed before the route is known */
  readonly bodies: (isWhole: boolean) => Iterable<Part>
}
interface Part {
  readonly name: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string
}

/** As many values as a body may have, and long enough to fill it. */
function* fullJson(length: number): Iterable<Part> {
  const count = Math.min(VALUES, Math.floor(length / 20))
  const long = 'x'.repeat(Math.floor(length / count) - 12)
  const names = Array.from({ length: count }, (_, index) => `"n${index}":"${long}"`)
  const texts = names.map(() => `"${long}"`)
  yield { name: 'as many names as it may have', payload: `{${names.join(',')}}` }
  yield { name: 'as many texts as it may have', payload: `[${texts.join(',')}]` }
  yield { name: 'as many numbers as it may have', payload: `[${texts.map(() => 0.1).join(',')}]` }
  yield { name: 'as many lists as it may have', payload: `[${texts.map(() => '[]').join(',')}]` }
}

function* jsonParts(length: number): Iterable<Part> {
  for (const [name, make] of Object.entries(wideJson)) yield { name, payload: make(length) }
  yield* fullJson(length)
}

function* formParts(length: number): Iterable<Part> {
  for (const [name, make] of Object.entries(widePairs))
    yield { name: `a form: ${name}`, payload: make(length), headers: { 'content-type': FORM_TYPE } }
}

/** The endpoint's sample with one field made wide, and with fields that nobody knows. */
function* bentSamples(sample: object, length: number): Iterable<Part> {
  const values = {
    'one long text': wideJson['one long text'],
    'numbers of one digit': wideJson['numbers of one digit'],
    'few numbers': () => `[${Array(VALUES - 100).fill(1)}]`,
  }
  for (const field of Object.keys(sample))
    for (const [name, make] of Object.entries(values)) {
      const text = make(length - JSON.stringify(sample).length - 100)
      const payload = JSON.stringify({ ...sample, [field]: '?' }).replace('"?"', () => text)
      yield { name: `${field}: ${name}`, payload }
    }
  for (const count of [VALUES - 100, 20_000]) {
    const others = Array.from({ length: count }, (_, index) => [`n${index}`, 1])
    const payload = JSON.stringify({ ...sample, ...Object.fromEntries(others) })
    if (payload.length < length) yield { name: `${count} fields that nobody knows`, payload }
  }
}

function documented(endpoint: Endpoint): Route {
  const { id, method, access, sample } = endpoint
  const isSignIn = endpoint.tag === 'Authentication' || endpoint.tag === 'Token'
  const length = isSignIn && id !== 'logout' ? AUTH_BODY_BYTES : BODY_BYTES
  return {
    name: id,
    method,
    access,
    url: sampleCall(endpoint).url,
    readsQuery: endpoint.query !== undefined || endpoint.proxy !== undefined,
    *bodies(isWhole) {
      if (method === 'GET') return
      if (isWhole) yield* jsonParts(length)
      if (isWhole) yield* formParts(length)
      yield* bentSamples(Object(sample?.body ?? {}), length)
    },
  }
}

/** Calls of the exchanges' own, and where in their body a wide value can stand. */
const dropIns: readonly (readonly [call: string, write: (value: string) => string])[] = [
  ['/mx/api/v3/order', (value) => value],
  ['/mx/api/v3/batchOrders', (value) => `{"batchOrders":${value}}`],
  ['/api/v3/batchOrders', (value) => `{"batchOrders":${JSON.stringify(value)}}`],
  ['/api/v1/private/order/create', (value) => value],
  ['/mx/api/v1/private/order/submit_batch', (value) => value],
  ['/mx/api/v1/private/order/cancel', (value) => value],
  ['/mx/api/v1/private/order/cancel_with_external', (value) => value],
  ['/mx/api/v1/private/order/batch_query_with_external', (value) => value],
  ['/mx/api/v1/private/planorder/place', (value) => `{"symbol":${value}}`],
  ['/bg/api/v2/spot/trade/place-order', (value) => value],
  ['/bg/api/v2/spot/trade/batch-orders', (value) => `{"orderList":${value}}`],
  ['/bg/api/v2/spot/trade/batch-cancel-replace-order', (value) => `{"orderList":${value}}`],
  ['/bg/api/v2/mix/order/place-pos-tpsl', (value) => `{"stopLossTriggerPrice":"1","a":${value}}`],
  ['/bg/api/v2/mix/order/batch-place-order', (value) => `{"a":1,"orderList":${value}}`],
  ['/bg/api/v2/mix/order/cancel-plan-order', (value) => `{"orderIdList":${value}}`],
  ['/bg/api/v3/trade/place-order', (value) => value],
  ['/bg/api/v3/trade/place-batch', (value) => value],
  ['/bg/api/v3/trade/cancel-batch', (value) => value],
]

/** What is no JSON is refused before the route is known. */
function isJson(payload: string): boolean {
  try {
    JSON.parse(payload)
    return true
  } catch {
    return false
  }
}

/** Full batches of orders with as many and as long fields as there may be. */
function* batches(write: (value: string) => string): Iterable<Part> {
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', price: '50000', size: '0.1' }
  for (const count of [20, 50, 100])
    for (const length of [1, 120]) {
      const more = Array.from({ length: Math.floor(VALUES / count) - 8 }, (_, index) => [
        `n${index}`,
        'x'.repeat(length),
      ])
      const entry = JSON.stringify({ ...order, ...Object.fromEntries(more) })
      const payload = write(`[${Array(count).fill(entry)}]`)
      if (payload.length <= DROP_IN_BODY_BYTES) yield { name: `${count} long orders`, payload }
    }
}

const routes: readonly Route[] = [
  ...catalogue
    // Its response does not end.
    .filter(({ access, id }) => access !== 'admin' && id !== streamEvents.id)
    .map(documented),
  ...dropIns.map(([url, write]) => ({
    ...({ name: url, method: 'POST', access: 'client', url, readsQuery: true } as const),
    *bodies(isWhole: boolean): Iterable<Part> {
      for (const { name, payload = '' } of jsonParts(DROP_IN_BODY_BYTES - 200)) {
        if (!isWhole && !isJson(payload)) continue
        const body = write(payload)
        // A list that is written as a text needs twice the room.
        yield {
          name,
          payload: body.length > DROP_IN_BODY_BYTES ? write(payload.slice(0, 60_000)) : body,
        }
      }
      // MEXC's spot calls take them.
      if (isWhole || url.includes('/api/v3/')) yield* formParts(DROP_IN_BODY_BYTES)
      yield* batches(write)
    },
  })),
  // What they do may end the others' permissions; the last one ends the session.
  ...catalogue
    .filter(({ access }) => access === 'admin')
    .toSorted((a, b) => Number(a.id === 'logout') - Number(b.id === 'logout'))
    .map(documented),
]

/**
 * Headers are read, queries and bodies are parsed before the route is known: in the short form some
 * routes show them all.
 */
const wholeOn = new Set(IS_LONG ? routes : routes.filter((_, index) => index % 8 === 0))

/** The queries for a route that does not read its query, which is parsed nevertheless. */
const UNREAD: readonly string[] = [
  'one name many times',
  'many names',
] satisfies (keyof typeof widePairs)[]

function* partsOf(route: Route): Iterable<Part> {
  const { url, bodies, readsQuery } = route
  const isWhole = wholeOn.has(route)
  yield* bodies(isWhole)
  const mark = url.includes('?') ? '&' : '?'
  for (const [name, make] of Object.entries(widePairs)) {
    if (!isWhole && !readsQuery && !UNREAD.includes(name)) continue
    yield {
      name: `a query: ${name}`,
      url: `${url}${mark}${make(QUERY_CHARACTERS - url.length)}`,
    }
  }
  if (!isWhole) return
  for (const name of ['prefer', 'idempotency-key', 'authorization', 'content-type', 'origin'])
    for (const text of ['wait ', '"\\', ',', 'a=1;', '  '])
      yield {
        name: `a header ${name} of ${JSON.stringify(text)}`,
        headers: { [name]: `x${text.repeat(HEADER_CHARACTERS / text.length)}x` },
      }
}

const typeOf = ({ payload }: Part) => (payload === undefined ? {} : { 'content-type': JSON_TYPE })

test.each(routes)('$method $name holds the event loop for 20 ms at most', async (route) => {
  const { method, url, access } = route
  const { t, bot } = world()
  const authorization = access === 'client' ? bot.headers : access === 'admin' ? t.asAdmin : {}
  const isBitget = /\/bg\//.test(url)
  upstream.response = {
    status: 200,
    headers: { 'content-type': JSON_TYPE },
    body: isBitget ? '{"code":"00000","msg":"success","data":null}' : '{"success":true,"code":0}',
  }
  const slow: string[] = []
  for (const part of partsOf(route)) {
    let bestMs = Number.POSITIVE_INFINITY
    let status = ''
    for (let tries = 0; tries < TRIES && bestMs > HOLD_MS; tries += 1) {
      const { result, longestTurnMs } = await watchTurns(() =>
        t.app.inject({
          method,
          url: part.url ?? url,
          headers: { ...authorization, ...typeOf(part), ...part.headers },
          ...(part.payload === undefined ? {} : { payload: part.payload }),
        }),
      )
      const quietMs = longestTurnMs > HOLD_MS ? longestTurnMs / slowness() : longestTurnMs
      bestMs = Math.min(bestMs, quietMs)
      status = `${result.statusCode}`
      upstream.recorded.length = 0
    }
    if (bestMs > HOLD_MS) slow.push(`${part.name}: ${bestMs.toFixed(1)} ms, HTTP ${status}`)
  }
  expect(slow).toEqual([])
})
