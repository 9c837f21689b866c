import * as openapi from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { catalogue, type Endpoint } from 'schema'
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

test('the description is OpenAPI 3.1 and a standard linter finds no error in it', async () => {
  const { body } = await get('/docs/json')
  expect(JSON.parse(body).openapi).toMatch(/^3\.1\./)
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await openapi.lintFromString({ source: body, config })
  const errors = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)
  expect(errors).toEqual([])
})

test('the description names every endpoint of the catalogue', async () => {
  const description = (await get('/docs/json')).json()
  const operations = Object.values(description.paths).flatMap((path) => Object.values(Object(path)))
  const ids = operations.map((operation) => Object(operation).operationId).filter(Boolean)
  const described = catalogue.filter(({ id }) => id !== 'openApi').map(({ id }) => id)
  expect(ids.toSorted()).toEqual(described.toSorted())
})

test('the OpenAPI page loads nothing from another host', async () => {
  const page = await get('/docs/')
  expect(page.statusCode).toBe(200)
  expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//)
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toMatch(/https?:/)
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

test.each(['/docs/nothing', '/docs/static/nothing.js', '/docs/static/..%2f..%2fpackage.json'])(
  '%s is not found, with an error as everywhere',
  async (url) => {
    const response = await get(url)
    expect(response.json()).toMatchObject({ statusCode: 404, code: 'ROUTE_NOT_FOUND' })
  },
)

test('API_DOCS=off shows none of it, and everything else works', async () => {
  const { app } = await testApp({ env: { API_DOCS: 'off' } })
  for (const url of ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/index.css']) {
    const refused = await app.inject({ url })
    expect([refused.statusCode, refused.json().code]).toEqual([404, 'API_DOCS_OFF'])
    expect(refused.body).not.toContain('openapi')
  }
  expect((await app.inject({ url: '/health/live' })).statusCode).toBe(200)
})

type Json = Readonly<Record<string, unknown>>

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

test('every example and default in the OpenAPI description fits its own schema', async () => {
  const description: Json = (await get('/docs/json')).json()
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

test.each(catalogue.map((endpoint): [string, Endpoint] => [endpoint.id, endpoint]))(
  'the sample of %s fits its schemas',
  (_id, endpoint) => {
    const { sample = {} } = endpoint
    for (const part of ['params', 'query', 'body', 'response'] as const) {
      const [schema, value] = [endpoint[part], sample[part]]
      if (schema === undefined || value === undefined) continue
      // Parameters of a URL are texts.
      const given = part === 'params' || part === 'query' ? Value.Convert(schema, value) : value
      const errors = Value.Errors(schema, given).map((error) => JSON.stringify(error))
      expect(errors, part).toEqual([])
    }
  },
)
