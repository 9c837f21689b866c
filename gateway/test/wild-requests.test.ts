import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { catalogue, type Endpoint, rawErrors } from 'schema'
import { expect, test } from 'vitest'
import { ADMIN, testApp } from './app.ts'
import { isRawUrl, ownErrorOf } from './support/call.ts'
import { IS_LONG } from './support/is-long.ts'
import { sampleCall } from './support/sample-call.ts'

const rawCodes: readonly unknown[] = rawErrors.map(({ code }) => code)

/** The long form sends more, and other ones in each run. */
const REQUESTS = IS_LONG ? 10_000 : 2_000
/** Sent at once: as many as keep both lanes busy. */
const TOGETHER = 100
/** Ends nothing that works, however busy the machine is. */
const ANSWER_WITHIN_MS = 60_000
/** Saves the passphrase "null", which once took Bitget's responses apart. */
const SEED = -261716533

/** What an administrator may do that makes other requests fail: tested where it belongs. */
const POWERFUL = new Set([
  ...['stopExchange', 'stopEverything', 'stopClient', 'dropQueueEntry', 'dropQueueOfClient'],
  'logout',
])
// The response to `streamEvents` does not end.
const endpoints = catalogue.filter(({ id }) => !POWERFUL.has(id) && id !== 'streamEvents')

const rubbish = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    ...['', '__proto__', '../../etc/passwd', '%2e%2e%2f', '0', '-1', '1e999', 'null', '💥'],
  ),
)
const wildValue = fc.oneof(rubbish, fc.jsonValue({ maxDepth: 3 }))

type Who = 'nobody' | 'admin' | 'client' | 'rubbish'

interface Wild {
  readonly endpoint: Endpoint
  readonly who: Who
  readonly method: InjectOptions['method']
  readonly url: string
  readonly headers: Record<string, string>
  readonly payload: string | undefined
}

/** The endpoint's sample with some of its fields bent, or something else altogether. */
function bodyOf(endpoint: Endpoint): fc.Arbitrary<string | undefined> {
  const sample = endpoint.sample?.body
  const bent =
    sample === undefined
      ? fc.constant(undefined)
      : fc
          .record({
            changes: fc.dictionary(
              fc.oneof(fc.constantFrom(...Object.keys(Object(sample))), rubbish),
              wildValue,
              { maxKeys: 2 },
            ),
          })
          .map(({ changes }) => JSON.stringify({ ...Object(sample), ...changes }))
  return fc.oneof(
    { weight: 5, arbitrary: bent },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

function urlFor(endpoint: Endpoint): fc.Arbitrary<string> {
  const { url } = sampleCall(endpoint)
  const path = url.split('?')[0] ?? '/'
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(url) },
    {
      weight: 3,
      arbitrary: fc
        .dictionary(fc.oneof(fc.constantFrom('symbol', 'limit', 'orderId'), rubbish), rubbish, {
          maxKeys: 3,
        })
        .map((query) => `${path}?${new URLSearchParams(query)}`),
    },
    {
      weight: 1,
      arbitrary: rubbish.map((tail) => `${path}/${encodeURIComponent(tail.toWellFormed())}`),
    },
    { weight: 1, arbitrary: rubbish.map((text) => `/${encodeURI(text.toWellFormed())}`) },
  )
}

const wild: fc.Arbitrary<Wild> = fc.constantFrom(...endpoints).chain((endpoint) =>
  fc.record({
    endpoint: fc.constant(endpoint),
    who: fc.oneof(
      { weight: 5, arbitrary: fc.constant<Who>(endpoint.access === 'admin' ? 'admin' : 'client') },
      { weight: 2, arbitrary: fc.constantFrom<Who>('nobody', 'admin', 'client', 'rubbish') },
    ),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constant<InjectOptions['method']>(endpoint.method) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)),
      },
    ),
    url: urlFor(endpoint),
    headers: fc
      .record(
        {
          'content-type': fc.constantFrom(
            ...['application/json', 'application/x-www-form-urlencoded', 'text/plain'],
            ...['multipart/form-data', 'application/json; charset=latin1'],
          ),
          'idempotency-key': fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
          'x-http-method-override': fc.constantFrom('DELETE', 'GET'),
          'x-forwarded-for': fc.ipV4(),
        },
        { requiredKeys: [] },
      )
      .map((headers) => ({ 'content-type': 'application/json', ...headers })),
    payload: bodyOf(endpoint),
  }),
)

const isJson = ({ headers }: LightMyRequestResponse) =>
  `${headers['content-type']}`.startsWith('application/json')

test(`${REQUESTS} wild requests bring no server error, no hang and no secret`, async () => {
  const logLines: string[] = []
  const masterKey = randomBytes(32).toString('base64')
  const { app, asAdmin, client } = await testApp({
    logLines,
    env: { MASTER_KEY: masterKey, UPSTREAM_TIMEOUT_SECONDS: '60' },
    // Its rate limits count on a clock that runs a thousand times as fast: they are not what is
    // tested.
    paper: { monotonicMs: () => performance.now() * 1000 },
  })
  const bot = await client()
  const secrets = [bot.clientSecret, ...bot.keys, ADMIN.password, masterKey]
  const authorization: Record<Who, { authorization?: string }> = {
    ...{ nobody: {}, admin: asAdmin, client: bot.headers },
    rubbish: { authorization: 'Bearer e30.e30.e30' },
  }
  const isLeaked = (text: string) => secrets.some((secret) => text.includes(secret))

  async function send({ endpoint, who, method, url, headers, payload }: Wild): Promise<void> {
    const startedAt = performance.now()
    const response = await app.inject({
      ...(method === undefined ? {} : { method }),
      url,
      headers: { ...headers, ...authorization[who] },
      ...(payload === undefined || method === 'GET' ? {} : { payload }),
    })
    const what = `${endpoint.id}: ${method} ${url} as ${who} with ${payload}`
    expect(response.statusCode, `${what} brought ${response.body}`).toBeLessThan(500)
    const body = isJson(response) ? Object(response.json()) : {}
    const { requestId, statusCode, code } = ownErrorOf(body)
    // An error of the gateway says the status that it has, and has the form of its path.
    if (requestId === response.headers['x-request-id'] && statusCode !== undefined) {
      const isRaw = isRawUrl(url)
      expect([statusCode, 'sluice' in body], what).toEqual([response.statusCode, isRaw])
      if (isRaw) expect(rawCodes, what).toContain(code)
    }
    expect(performance.now() - startedAt, `${what} took too long`).toBeLessThan(ANSWER_WITHIN_MS)
    expect(isLeaked(response.body + JSON.stringify(response.headers)), what).toBe(false)
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(wild, { minLength: TOGETHER, maxLength: TOGETHER }),
      async (batch) => {
        await Promise.all(batch.map(send))
      },
    ),
    // The seed is printed when it fails.
    { numRuns: REQUESTS / TOGETHER, endOnFailure: true, seed: IS_LONG ? Date.now() : SEED },
  )
  expect(logLines.length).toBeGreaterThan(REQUESTS / 2)
  expect(logLines.filter(isLeaked)).toEqual([])
}, 600_000)
