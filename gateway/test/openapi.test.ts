import * as openapi from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { catalogue, type Endpoint, isOrderCall, rawCalls } from 'schema'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { testApp } from './app.ts'
import { sharedApp } from './support/shared-app.ts'

// The compiler takes seconds for the package's own type of a configuration.
const { createConfig } = openapi as unknown as {
  createConfig(config: { extends: readonly string[] }): ReturnType<typeof openapi.loadConfig>
}

const shared = sharedApp()
const get = (url: string, headers: Record<string, string> = {}) =>
  shared().app.inject({ url, headers })

/** Bots' description, then the administrators'. */
const DOCUMENTS = ['/docs/json', '/docs/admin/json'] as const

type Json = Readonly<Record<string, unknown>>
interface Operation extends Json {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters: readonly Json[]
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>
}

/** The operations of a description, in its order. */
async function operationsOf(url: string): Promise<readonly Operation[]> {
  const { paths } = (await get(url)).json()
  return Object.values(paths).flatMap((path) => Object.values(Object(path)))
}

test.each(DOCUMENTS)(
  '%s is OpenAPI 3.1, and a standard linter finds nothing in it',
  async (url) => {
    const { body } = await get(url)
    expect(JSON.parse(body).openapi).toMatch(/^3\.1\./)
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await openapi.lintFromString({ source: body, config })
    // A sign-in by OpenID Connect redirects.
    const found = problems.filter(({ ruleId }) => ruleId !== 'operation-2xx-response')
    const shown = found.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
    )
    expect(shown).toEqual([])
  },
)

test('bots and administrators have a description each, and every endpoint is in one of them', async () => {
  const [bots, administrators] = await Promise.all(DOCUMENTS.map(operationsOf))
  const tagsOf = (operations: readonly Operation[] = []) => [
    ...new Set(operations.flatMap(({ tags }) => tags)),
  ]
  expect(tagsOf(bots)).toEqual([
    ...['Token', 'MEXC', 'Bitget', 'Raw routes', 'Streams', 'Requests and heartbeat'],
  ])
  expect(tagsOf(administrators).filter((tag) => tagsOf(bots).includes(tag))).toEqual([])
  const ids = [...(bots ?? []), ...(administrators ?? [])].map(({ operationId }) => operationId)
  const known = [...catalogue, ...rawCalls].map(({ id }) => id)
  expect(ids.toSorted()).toEqual(known.toSorted())
  for (const tag of ['MEXC', 'Bitget'])
    expect(bots?.find(({ tags }) => tags.includes(tag))).toMatchObject({
      summary: expect.stringMatching(/^Place /),
    })
  const forPeople = bots?.filter(({ operationId }) =>
    catalogue.some(({ id, access }) => id === operationId && access === 'admin'),
  )
  expect(forPeople).toEqual([])
})

test('every operation and parameter is described, and every order names its errors', async () => {
  for (const url of DOCUMENTS) {
    const { components } = (await get(url)).json()
    for (const operation of await operationsOf(url)) {
      expect(operation.summary, operation.operationId).toEqual(expect.any(String))
      for (const { name, description } of operation.parameters)
        expect([operation.operationId, name, description]).toEqual([
          ...[operation.operationId, name, expect.stringMatching(/\w/)],
        ])
      const isRaw = operation.tags.includes('Raw routes')
      const others = Object.keys(operation.responses).filter((status) => !/^\d{3}$/.test(status))
      expect([operation.operationId, ...others]).toEqual([
        ...[operation.operationId, ...(isRaw ? ['default'] : [])],
      ])
      const responses = Object.entries(operation.responses).map(
        ([status, { $ref = '' }]): [string, Json] => [
          status,
          Object(components.responses[$ref.replace('#/components/responses/', '')]),
        ],
      )
      const called = [...catalogue, ...rawCalls].find(({ id }) => id === operation.operationId)
      if (called === undefined || !isOrderCall(called)) continue
      const errors = Object.fromEntries(responses)
      for (const status of ['400', '401', '403', '409', '422', '429', '502', '503', '504'])
        expect([operation.operationId, status, errors[status]]).toMatchObject([
          ...[operation.operationId, status],
          {
            headers: { 'X-Request-Id': {}, RateLimit: {}, 'RateLimit-Policy': {} },
            content: { 'application/json': { schema: {}, example: {} } },
          },
        ])
      for (const status of ['429', '503'])
        expect(errors[status]?.headers).toHaveProperty('Retry-After')
      for (const status of ['409', '422', '502', '504'])
        expect(Object.keys(Object(errors[status]?.headers))).toEqual(
          expect.arrayContaining(['Location', 'Idempotency-Replayed']),
        )
    }
  }
})

test('a code of an error is one of a list, and each status of an order lists its own', async () => {
  const { components } = (await get('/docs/json')).json()
  expect(components.schemas.Error.properties.code).toEqual({
    $ref: '#/components/schemas/ErrorCode',
  })
  const codes: string[] = components.schemas.ErrorCode.enum
  expect(codes).toEqual(expect.arrayContaining(['OUTCOME_UNKNOWN', 'LIMIT_SYMBOL']))
  const { allOf } = components.responses.OrderUnauthorized.content['application/json'].schema
  expect(allOf[1].properties.code.enum).toEqual([
    ...['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_AHEAD_OF_CLOCK'],
    'TOKEN_REVOKED',
  ])
  for (const name of ['Order', 'Limits', 'Heartbeat', 'Token', 'MxSubmitOrder', 'BgOrderResult'])
    expect(components.schemas[name], name).toMatchObject({ type: 'object', properties: {} })
  expect((await get('/docs/admin/json')).json().components.schemas).toHaveProperty('Client')
})

test('the OpenAPI page loads nothing from another host', async () => {
  const page = await get('/docs/')
  expect(page.statusCode).toBe(200)
  expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//)
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toMatch(/https?:|unsafe-eval/)
})

test('the files of the page come with their type, and can be cached and asked for in part', async () => {
  const url = '/docs/static/index.css'
  const whole = await get(url)
  expect(whole.headers['content-type']).toBe('text/css; charset=utf-8')
  const etag = String(whole.headers.etag)
  const again = await get(url, { 'if-none-match': etag })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  const part = await get(url, { range: 'bytes=0-9' })
  expect([part.statusCode, part.body]).toEqual([206, whole.body.slice(0, 10)])
  const head = await shared().app.inject({ method: 'HEAD', url })
  expect([head.headers['content-length'], head.body]).toEqual([`${whole.body.length}`, ''])
})

test('the description is served as YAML too', async () => {
  const description = (await get('/docs/json')).json()
  expect(parse((await get('/docs/yaml')).body)).toEqual(description)
})

test.each([
  '/docs/nothing',
  '/docs/admin/nothing',
  '/docs/static/nothing.js',
  '/docs/static/..%2f..%2fpackage.json',
])('%s is not found, with an error as everywhere', async (url) => {
  const response = await get(url)
  expect(response.json()).toMatchObject({ statusCode: 404, code: 'ROUTE_NOT_FOUND' })
})

test('API_DOCS=off shows none of it, and everything else works', async () => {
  const { app } = await testApp({ env: { API_DOCS: 'off' } })
  const pages = ['/docs', '/docs/', '/docs/yaml', '/docs/static/index.css', '/docs/admin']
  for (const url of [...pages, ...DOCUMENTS]) {
    const refused = await app.inject({ url })
    expect([refused.statusCode, refused.json().code]).toEqual([404, 'API_DOCS_OFF'])
    expect(refused.body).not.toContain('openapi')
  }
  expect((await app.inject({ url: '/health/live' })).statusCode).toBe(200)
})

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Whatever is in a description, with where it is. */
function* partsOf(value: unknown, at = ''): Generator<readonly [string, Json], void> {
  if (!isObject(value)) return
  yield [at, value]
  for (const [name, part] of Object.entries(value)) yield* partsOf(part, `${at}/${name}`)
}

/** The examples of a schema, or of a parameter or a body that has one. */
function examplesOf({ example, examples, default: fallback }: Json): unknown[] {
  const listed = Array.isArray(examples)
    ? examples
    : Object.values(Object(examples)).map((one) => Object(one).value)
  return [example, fallback, ...listed].filter((one) => one !== undefined)
}

test.each(DOCUMENTS)('every example and default in %s fits its own schema', async (url) => {
  const description: Json = (await get(url)).json()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ ...description, $id: 'https://sluice.example/openapi' })
  const wrong: string[] = []
  let checked = 0
  for (const [at, part] of partsOf(description)) {
    // What an example shows is no schema.
    if (/\/(example|examples|default|enum|const|properties)$/.test(at)) continue
    const schema = isObject(part.schema) ? part.schema : part
    for (const example of examplesOf(part)) {
      checked += 1
      const text = JSON.stringify(schema).replaceAll('"#/', '"https://sluice.example/openapi#/')
      if (!ajv.validate(JSON.parse(text), example))
        wrong.push(`${at}: ${JSON.stringify(example).slice(0, 100)} ${ajv.errorsText()}`)
    }
  }
  expect(wrong).toEqual([])
  expect(checked).toBeGreaterThan(100)
})

test.each(
  [...catalogue, ...rawCalls].map((endpoint): [string, Endpoint] => [endpoint.id, endpoint]),
)('the sample of %s fits its schemas', (_id, endpoint) => {
  const { sample = {} } = endpoint
  for (const part of ['params', 'query', 'body', 'response'] as const) {
    const [schema, value] = [endpoint[part], sample[part]]
    if (schema === undefined || value === undefined) continue
    // Parameters of a URL are texts.
    const given = part === 'params' || part === 'query' ? Value.Convert(schema, value) : value
    const errors = Value.Errors(schema, given).map((error) => JSON.stringify(error))
    expect(errors, part).toEqual([])
  }
})
