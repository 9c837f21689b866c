import { readFile } from 'node:fs/promises'
import type { FieldProblem } from 'schema'
import { expect, test } from 'vitest'
import { ADMIN, testApp } from './app.ts'
import { scrape } from './support/metrics.ts'
import { sharedApp } from './support/shared-app.ts'

// Levels of pino.
const DEBUG = 20
const INFO = 30
const CONSOLE = 'http://localhost:8081'
const shared = sharedApp()

/** What the gateway makes of a body, as a sign-in. */
const signIn = (payload: string | object | Buffer, type = 'application/json') =>
  shared().app.inject({
    ...{ method: 'POST', url: '/auth/login', headers: { 'content-type': type } },
    payload:
      typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  })

test.each([
  ['GET', '/health/live'],
  ['GET', '/api/stats'],
  ['GET', '/no/such/route'],
  ['PUT', '/api/stats'],
  ['POST', '/auth/login'],
] as const)('the console may read any response to %s %s', async (method, url) => {
  const { app } = shared()
  const response = await app.inject({ method, url, headers: { origin: CONSOLE } })
  expect(response.headers['access-control-allow-origin']).toBe(CONSOLE)
  expect(response.headers['access-control-allow-credentials']).toBe('true')
  expect(response.headers.vary).toContain('Origin')
  const exposed = String(response.headers['access-control-expose-headers']).split(', ')
  const needed = [
    ...['X-Request-Id', 'X-Queue-Wait-Ms', 'X-Total-Count', 'X-Total-Count-Relation'],
    ...['Age', 'Server-Timing', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Location'],
  ]
  expect(exposed).toEqual(expect.arrayContaining(needed))
})

test('a preflight of the console lists the allowed methods and headers', async () => {
  const { app } = shared()
  const response = await app.inject({
    method: 'OPTIONS',
    url: '/api/admin/client-credentials/1/toggle',
    headers: {
      origin: CONSOLE,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers':
        'authorization,content-type,idempotency-key,prefer,cache-control',
    },
  })
  expect(response.statusCode).toBe(204)
  expect(response.headers['access-control-allow-methods']).toContain('PATCH')
  const allowed = String(response.headers['access-control-allow-headers']).toLowerCase()
  const asked = ['authorization', 'content-type', 'idempotency-key', 'prefer', 'cache-control']
  for (const name of asked) expect(allowed).toContain(name)
})

test.each([
  'http://evil.example',
  'http://localhost:8081.evil.example',
  'null',
  'https://localhost:8081',
])('a page of %s may not read anything', async (origin) => {
  const { app } = shared()
  for (const method of ['GET', 'OPTIONS'] as const) {
    const response = await app.inject({
      method,
      url: '/api/stats',
      headers: { origin, 'access-control-request-method': 'GET' },
    })
    expect(response.headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('several origins can be allowed, each gets its own origin back', async () => {
  const env = { CONSOLE_ORIGIN: 'https://a.example, https://b.example' }
  const { app } = await testApp({ env })
  for (const origin of ['https://a.example', 'https://b.example']) {
    const response = await app.inject({ url: '/health/live', headers: { origin } })
    expect(response.headers['access-control-allow-origin']).toBe(origin)
  }
})

test.each([
  ['a body that is cut off', '{"email":', 'BODY_NOT_JSON', 400],
  ['a body that is no JSON', 'email=a', 'BODY_NOT_JSON', 400],
  ['a body that is no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'BODY_NOT_JSON', 400],
  ['an empty body', '', 'VALIDATION_FAILED', 400],
  ['a body of null', 'null', 'VALIDATION_FAILED', 400],
  ['a list', '[]', 'VALIDATION_FAILED', 400],
  ['text', '"x"', 'VALIDATION_FAILED', 400],
  ['a body nested 1,000 deep', `${'['.repeat(1000)}${']'.repeat(1000)}`, 'BODY_NOT_JSON', 400],
  ['a body of more than 1,500 values', `[${'1,'.repeat(1500)}1]`, 'BODY_TOO_COMPLEX', 400],
  ['a body of more than 256 KiB', `"${'x'.repeat(256 * 1024)}"`, 'BODY_TOO_LARGE', 413],
])('%s is rejected', async (_what, payload, code, statusCode) => {
  expect((await signIn(payload)).json()).toMatchObject({ statusCode, code })
})

test('a byte order mark before JSON is ignored (RFC 8259, 8.1)', async () => {
  expect((await signIn(`\ufeff${JSON.stringify(ADMIN)}`)).statusCode).toBe(200)
})

test('the content type has to be JSON, whatever its charset', async () => {
  for (const type of [
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])
    expect((await signIn(ADMIN, type)).json(), type).toMatchObject({
      ...{ statusCode: 415, code: 'MEDIA_TYPE_UNSUPPORTED' },
    })
  expect((await signIn(ADMIN, 'application/json; charset=UTF-8')).statusCode).toBe(200)
})

test('a body of another type than its header says is refused, and nothing of it is repeated', async () => {
  const { app, asAdmin } = shared()
  const asForm = await signIn(ADMIN, 'application/x-www-form-urlencoded')
  expect(asForm.json()).toMatchObject({ statusCode: 415, code: 'MEDIA_TYPE_UNSUPPORTED' })
  const names = ['x'.repeat(50), `{"email":"a@b.c","password":"hunter2"}`, 'a\nb', '']
  const asName = await app.inject({
    ...{ method: 'PATCH', url: '/api/admin/client-credentials/7', headers: asAdmin },
    payload: Object.fromEntries(names.map((name) => [name, 1])),
  })
  const { fields } = asName.json()
  expect(fields.map(({ field }: FieldProblem) => field)).toEqual([
    ...['x'.repeat(40), 'email', 'a', 'unnamed'],
  ])
  for (const { body } of [asForm, asName]) expect(body).not.toMatch(/password|hunter2/)
})

test('unknown fields are all named in the error', async () => {
  const message = 'is not a known field'
  const refused = await signIn({ ...ADMIN, remember: true, role: 'root' })
  expect(refused.json()).toMatchObject({
    code: 'VALIDATION_FAILED',
    fields: [
      { field: 'remember', message },
      { field: 'role', message },
    ],
  })
})

test.each([
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"clientId":"x","__proto__":{"description":"polluted"}}',
])('the body %s affects only its own response', async (payload) => {
  const { app, asAdmin } = shared()
  const response = await app.inject({
    method: 'POST',
    url: '/api/admin/client-credentials',
    headers: { ...asAdmin, 'content-type': 'application/json' },
    payload,
  })
  expect(response.statusCode).toBe(400)
  expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false)
  expect(({} as { description?: string }).description).toBeUndefined()
})

test.each([
  ['/api/stats', 'GET', 401],
  ['/no/such/route', 'GET', 404],
  ['/api/stats', 'DELETE', 405],
  ['/auth/login', 'POST', 400],
  ['/%', 'GET', 400],
  ['/%ff', 'GET', 400],
  [`/api/requests/${'x'.repeat(600)}`, 'GET', 401],
  [`/health/live?${'x'.repeat(9000)}`, 'GET', 414],
] as const)('the error of %s %s has the one shape of all errors', async (url, method, status) => {
  const { app } = shared()
  const response = await app.inject({ method, url })
  expect(response.statusCode).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  const { fields = [], ...body } = response.json()
  expect(body).toEqual({
    statusCode: status,
    error: expect.stringMatching(/^[A-Z][\w '-]+$/),
    code: expect.stringMatching(/^[A-Z][A-Z_]+$/),
    message: expect.stringMatching(/.{10,}/),
    requestId: response.headers['x-request-id'],
  })
  expect(Array.isArray(fields)).toBe(true)
})

test('every response has its own request id, which the caller cannot choose', async () => {
  const { app } = shared()
  const ids = new Set<unknown>()
  for (let n = 0; n < 5; n += 1) {
    const response = await app.inject({
      url: '/health/live',
      headers: { 'x-request-id': 'mine', 'request-id': 'mine' },
    })
    ids.add(response.headers['x-request-id'])
  }
  expect(ids.size).toBe(5)
  expect(ids).not.toContain('mine')
})

test('responses carry the headers that prevent sniffing, framing and referrer leaks', async () => {
  const { app } = shared()
  for (const url of ['/health/live', '/no/such/route']) {
    const { headers } = await app.inject({ url })
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'")
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['strict-transport-security']).toMatch(/max-age=\d{8}/)
    expect(headers['x-powered-by']).toBeUndefined()
    expect(headers.server).toBeUndefined()
  }
})

test('the health addresses report live and ready, and what runs: the number of package.json, which the description has too, and the commit', async () => {
  const { app } = shared()
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  expect((await app.inject({ url: '/docs/json' })).json().info.version).toBe(version)
  const running = { version, commit: expect.stringMatching(/^([\da-f]{12}|unknown commit)$/) }
  expect((await app.inject({ url: '/health/live' })).json()).toEqual({ status: 'ok', ...running })
  const ready = await app.inject({ url: '/health/ready' })
  expect(ready.statusCode).toBe(200)
  expect(ready.json()).toEqual({ status: 'ready', reasons: [], ...running })
  const { commit } = ready.json()
  const { value } = await scrape(app)
  expect(value('sluice_build_info', { version, commit, node: process.version })).toBe(1)
})

test('health checks that find the gateway well are logged at the level debug', async () => {
  const logLines: string[] = []
  const { app } = await testApp({ logLines })
  for (const url of ['/health/live', '/health/ready', '/health/none', '/docs/json'])
    await app.inject({ url })
  const levels = logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')
    .map(({ path, level }) => [path, level])
  expect(levels.slice(-4)).toEqual([
    ['/health/live', DEBUG],
    ['/health/ready', DEBUG],
    ['/health/none', INFO],
    ['/docs/json', INFO],
  ])
})
