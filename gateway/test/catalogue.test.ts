import {
  bgDropIn,
  catalogue,
  type Endpoint,
  mxDropIn,
  mxRawOrder,
  mxTickerPrice,
  streamEvents,
} from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import { withNewSession } from './support/person.ts'
import { routesOf } from './support/routes-of.ts'
import { type CallInput, sampleCall } from './support/sample-call.ts'
import { sharedApp } from './support/shared-app.ts'

/**
 * Swagger UI has a page, its files and the same description as YAML; @fastify/cors handles
 * preflights.
 */
const NOT_OURS = [
  'GET /docs',
  'GET /docs/',
  'GET /docs/*',
  'OPTIONS *',
  // The drop-in families: the policy decides what is allowed below them.
  ...['/mx', '/bg', '/api/v3', '/api/v1/private', '/api/v1/contract'].flatMap((family) =>
    ['GET', 'POST', 'PUT', 'DELETE'].map((method) => `${method} ${family}/*`),
  ),
  // The exchanges' own WebSockets, and MEXC's calls for a listen key, which are the gateway's own.
  ...['/bg/v2/ws/public', '/bg/v2/ws/private', '/bg/v3/ws/public', '/bg/v3/ws/private'].map(
    (path) => `GET ${path}`,
  ),
  ...['GET /mx/ws', 'GET /mx/edge'],
  ...['/mx', ''].flatMap((prefix) =>
    ['GET', 'POST', 'PUT', 'DELETE'].map((method) => `${method} ${prefix}/api/v3/userDataStream`),
  ),
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const guarded = (access: Endpoint['access']) => catalogue.filter((e) => e.access === access)

const shared = sharedApp()

test('every endpoint of the catalogue is served, and nothing else', async () => {
  const { app } = shared()
  const declared = catalogue.map(({ method, path }) => `${method} ${path}`)
  const served = routesOf(app).filter((route) => !NOT_OURS.includes(route))
  expect(served.toSorted()).toEqual(declared.toSorted())
})

test('ids and addresses of the catalogue are unique', () => {
  const ids = catalogue.map(({ id }) => id)
  const addresses = catalogue.map(
    ({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '*')}`,
  )
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(addresses).size).toBe(addresses.length)
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

// What ends a token or a session is decided in one place for all routes: auth.test.ts.
test.each<[why: string, code: string, headers: Record<string, string>]>([
  ['without a token', 'TOKEN_MISSING', {}],
  ['with a rubbish token', 'TOKEN_INVALID', bearer('rubbish')],
  ['with a token of three rubbish parts', 'TOKEN_INVALID', bearer('e30.e30.e30')],
  ['with an empty Authorization header', 'TOKEN_MISSING', { authorization: '' }],
  ['with a token in the wrong scheme', 'TOKEN_MISSING', { authorization: 'Token x' }],
])('no admin and no client route opens %s', async (_why, code, headers) => {
  await expectRejected('admin', code, headers)
  await expectRejected('client', code, headers)
})

test("no admin route opens with a client's token, no client route with an administrator's", async () => {
  await expectRejected('admin', 'TOKEN_INVALID', (await shared().client()).headers)
  await expectRejected('client', 'TOKEN_INVALID', shared().asAdmin)
})

async function expectRejected(
  access: Endpoint['access'],
  code: string,
  headers: Record<string, string>,
): Promise<void> {
  const { app, paper } = shared()
  paper.clearReceived()
  for (const endpoint of guarded(access)) {
    const call = sampleCall(endpoint)
    const response = await app.inject({ ...call, headers: { ...call.headers, ...headers } })
    expect([endpoint.id, response.statusCode, ownErrorOf(response.json()).code]).toEqual([
      ...[endpoint.id, 401, code],
    ])
    expect(response.headers['www-authenticate'], endpoint.id).toMatch(
      /^Bearer( error="invalid_token"|$)/,
    )
  }
  expect(paper.received()).toEqual([])
}

const isStrict = (schema: Endpoint['body']) =>
  Object(schema).type === 'object' && Object(schema).additionalProperties === false
const UNKNOWN = { unheardOf: '1' }

/** The problems that an endpoint finds in a call, by an administrator or by a bot. */
async function problemsOf(t: TestApp, bot: TestClient, endpoint: Endpoint, input: CallInput) {
  const as = endpoint.access === 'client' ? bot : t.asAdmin
  const { status, body } = await t.call(endpoint, { ...endpoint.sample, ...input }, as)
  expect([endpoint.id, status, body.code]).toEqual([endpoint.id, 400, 'VALIDATION_FAILED'])
  return body.fields
}

test('a field or a parameter that an endpoint does not know is refused by its name', async () => {
  const t = await withNewSession(shared())
  const bot = await t.client()
  const unknown = { field: 'unheardOf', message: 'is not a known field' }
  let tried = 0
  for (const endpoint of catalogue) {
    const { body, query, sample = {} } = endpoint
    const inputs = [
      ...(isStrict(body) ? [{ body: { ...Object(sample.body), ...UNKNOWN } }] : []),
      ...(isStrict(query) ? [{ query: { ...sample.query, ...UNKNOWN } }] : []),
    ]
    for (const input of inputs)
      expect(await problemsOf(t, bot, endpoint, input), endpoint.id).toContainEqual(unknown)
    tried += inputs.length
  }
  expect(tried).toBeGreaterThan(50)
})

test.each(['abc', '0', '-1', '1.5', '9007199254740993', "1'--"])(
  'the number "%s" in an address is refused by the name of the parameter',
  async (id) => {
    const t = await withNewSession(shared())
    const bot = await t.client()
    const numbered = catalogue.filter(
      ({ params }) => Object(params?.properties.id).type === 'integer',
    )
    expect(numbered.length).toBeGreaterThan(20)
    for (const endpoint of numbered)
      expect(await problemsOf(t, bot, endpoint, { params: { id } })).toMatchObject([
        { field: 'id' },
      ])
  },
)

test('every public route opens without a token', async () => {
  const { app } = await testApp()
  for (const endpoint of guarded('public')) {
    const response = await app.inject(sampleCall(endpoint))
    const { errorCode = '' } = /"code":"(?<errorCode>\w+)"/.exec(response.body)?.groups ?? {}
    expect(errorCode, endpoint.id).not.toMatch(/^TOKEN_|^ROUTE_|^METHOD_/)
  }
})

test('another method on a known address is 405 and names the possible ones', async () => {
  const { app, asAdmin } = shared()
  // On an exchange's own path the policy decides first.
  const exchangesOwn: readonly Endpoint[] = [mxDropIn, bgDropIn, mxTickerPrice, mxRawOrder]
  const ours = catalogue.filter((endpoint) => !exchangesOwn.includes(endpoint))
  const paths = new Set(ours.map(({ path }) => path))
  for (const path of paths) {
    const here = catalogue.filter((endpoint) => endpoint.path === path)
    const possible = here.map(({ method }): string => method)
    const [first] = here
    const url = first === undefined ? path : sampleCall(first).url
    const allow = possible.includes('GET') ? [...possible, 'HEAD'] : possible
    for (const method of METHODS.filter((m) => !possible.includes(m))) {
      const response = await app.inject({ method, url, headers: asAdmin })
      expect(response.statusCode, `${method} ${path}`).toBe(405)
      expect(response.headers.allow).toBe(allow.join(', '))
      expect(response.json().code).toBe('METHOD_NOT_ALLOWED')
    }
  }
})

test('an unknown address is 404, whatever the method', async () => {
  const { app, asAdmin } = shared()
  for (const url of ['/', '/api', '/api/stats/', '/api/admin', '/Health/live', '/api//stats']) {
    for (const method of METHODS) {
      const response = await app.inject({ method, url, headers: asAdmin })
      expect(response.statusCode, `${method} ${url}`).toBe(404)
      expect(response.json().code).toBe('ROUTE_NOT_FOUND')
    }
  }
})

test('HEAD works wherever GET does, with its headers and no body', async () => {
  const { app, client, asAdmin } = await testApp()
  const asClient = (await client()).headers
  // The response to this one does not end: streams/own-streams.test.ts.
  const ending = catalogue.filter(({ id }) => id !== streamEvents.id)
  for (const endpoint of ending.filter(({ method }) => method === 'GET')) {
    const headers = endpoint.access === 'client' ? asClient : asAdmin
    const { url } = sampleCall(endpoint)
    const [got, head] = [
      await app.inject({ method: 'GET', url, headers }),
      await app.inject({ method: 'HEAD', url, headers }),
    ]
    expect(head.statusCode, endpoint.id).toBe(got.statusCode)
    expect(head.headers['content-type'], endpoint.id).toBe(got.headers['content-type'])
    expect(head.body, endpoint.id).toBe('')
  }
})

test('only what reads the database is answered by each of several gateways', () => {
  const anywhere = catalogue.filter((endpoint) => endpoint.anywhere === true)
  expect(anywhere.length).toBeGreaterThan(10)
  for (const { id, method, proxy } of anywhere)
    expect({ id, method, proxy }).toEqual({ id, method: 'GET', proxy: undefined })
})
