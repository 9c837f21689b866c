import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { catalogue, ErrorBody } from 'schema'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { buildLazySerializer, readAddressValues, routeOf } from './route.ts'

const schema = Type.Object({
  ...{ id: Type.Integer(), ratio: Type.Optional(Type.Number()) },
  ...{ isOpen: Type.Optional(Type.Boolean()), symbol: Type.Optional(Type.String()) },
})

test('numbers and truth values are read where the schema has them', () => {
  const values = { id: '42', ratio: '-0.5', isOpen: 'false', symbol: '42' }
  expect(readAddressValues(schema, values)).toEqual({
    ...{ id: 42, ratio: -0.5, isOpen: false, symbol: '42' },
  })
})

test.each(['1.5', '1e3', '0x10', ' 1', '1 ', '', '+1', 'true', '99999999999999999', '١'])(
  'the text %j is no whole number and stays text',
  (id) => {
    expect(readAddressValues(schema, { id })).toEqual({ id })
  },
)

test.each(['1', 'TRUE', 'yes', ''])('the text %j is no truth value and stays text', (isOpen) => {
  expect(readAddressValues(schema, { isOpen })).toEqual({ isOpen })
})

test('what is there twice stays a list, and what is not declared stays as it is', () => {
  const values = { id: ['1', '2'], other: '7', constructor: '1' }
  expect(readAddressValues(schema, values)).toEqual(values)
  expect(readAddressValues(schema, undefined)).toEqual({})
})

const shared = { Error: ErrorBody }
const partOf = (schema: unknown) => ({ method: 'GET', url: '/', httpStatus: '200', schema })

// A schema is compiled at its first request: no start would find one that cannot be.
test.each(catalogue)('every schema of $id can be compiled', (endpoint) => {
  const { schema } = routeOf(endpoint) as { schema: { response: Record<string, unknown> } }
  const compile = SerializerSelector()(shared)
  for (const response of Object.values(schema.response))
    expect(compile(partOf(response))).toBeTypeOf('function')
  for (const part of [endpoint.body, endpoint.query, endpoint.params])
    if (part !== undefined) expect(Compile(part).Check).toBeTypeOf('function')
})

/** A schema, and which of its fields were read. */
function watchedSchema() {
  const asked: string[] = []
  const schema = new Proxy(Type.Object({ id: Type.String() }), {
    get(target, name) {
      asked.push(String(name))
      return Reflect.get(target, name)
    },
  })
  return { asked, schema }
}

test('a response is compiled once, at its first use, and has the fields of its schema alone', () => {
  const { asked, schema } = watchedSchema()
  const serialize = buildLazySerializer(shared)(partOf(schema))
  expect(asked).toEqual([])
  expect(serialize({ id: '1', secret: '2' })).toBe('{"id":"1"}')
  const { length } = asked
  expect(length).toBeGreaterThan(0)
  expect(serialize({ id: '3' })).toBe('{"id":"3"}')
  expect(asked).toHaveLength(length)
})

// Each route compiled the schema of an error for itself, at its first error.
test('routes with the same schema compile it once', () => {
  const { asked, schema } = watchedSchema()
  buildLazySerializer(shared)(partOf(schema))({ id: '1' })
  const { length } = asked
  const another = buildLazySerializer({ Error: { ...ErrorBody } })(partOf(schema))
  expect(another({ id: '2', secret: '3' })).toBe('{"id":"2"}')
  expect(asked).toHaveLength(length)
})

test('an endpoint has the same schemas of its responses each time, and all have those of an error', () => {
  const responsesOf = (endpoint: (typeof catalogue)[number]) =>
    Object(routeOf(endpoint).schema).response
  const [one, other] = catalogue.slice(0, 2).map((endpoint) => {
    expect(responsesOf(endpoint)).toBe(responsesOf(endpoint))
    return responsesOf(endpoint)
  })
  for (const code of ['4xx', '5xx']) expect(one[code]).toBe(other[code])
})
