import { Ajv2020 } from 'ajv/dist/2020.js'
import { catalogue, type Endpoint } from 'schema'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()

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
  const description: Json = (await shared().app.inject({ url: '/docs/json' })).json()
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
