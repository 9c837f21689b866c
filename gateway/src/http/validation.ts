import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { type FieldProblem, fieldMessage } from 'schema'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { shownName } from './shown-text.ts'

/** Which fields did not match the endpoint's schema. */
export class ValidationError extends Error {
  readonly code = 'VALIDATION_FAILED'
  readonly statusCode = 400
  readonly fields: readonly FieldProblem[]
  constructor(fields: readonly FieldProblem[]) {
    super(`The request is not valid: ${fields.map((f) => `${f.field}: ${f.message}`).join('; ')}`)
    this.name = 'ValidationError'
    this.fields = fields
  }
}

/**
 * Checks a request against the endpoint's schema. The console checks its forms against the same
 * schemas with a smaller validator (`console/src/api/form-errors.ts`); a test ensures that it
 * accepts nothing that this one rejects. Text in the URL becomes a number where the schema has one.
 * A body is not converted: a string stays a string, and a missing field gets no default. An order
 * without a symbol must not get a form's default symbol. A schema is compiled at its first request:
 * it takes a millisecond, which hundreds of schemas would add to the start.
 */
const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Header schemas only document the headers; the code that uses a header parses it.
  if (httpPart === 'headers') return (value: unknown) => ({ value })
  let compiled: ReturnType<typeof Compile> | undefined
  return (input: unknown) => {
    compiled ??= Compile(schema)
    const value = httpPart === 'body' ? input : readAddressValues(schema, input)
    if (compiled.Check(value)) return { value }
    return { error: new ValidationError(toFieldProblems(schema, compiled.Errors(value), httpPart)) }
  }
}

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type BuildValidator = NonNullable<
  NonNullable<SchemaController['compilersFactory']>['buildValidator']
>

/** Fastify's type knows only Ajv, which it loads unless this is set. */
export const buildValidator = (() => compileValidator) as unknown as BuildValidator

type Problem = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

function toFieldProblems(
  schema: TSchema,
  problems: readonly Problem[],
  httpPart: string | undefined,
): FieldProblem[] {
  const found = new Map<string, string>()
  const inOrder = problems.toSorted((a, b) => usefulness(a) - usefulness(b))
  for (const problem of inOrder) {
    for (const [field, message] of readProblem(schema, problem)) {
      if (!found.has(field)) found.set(field, message)
    }
  }
  return [...found].slice(0, 20).map(([field, message]) => ({
    field: (field === '' ? (httpPart ?? 'request') : field).slice(0, 100),
    message,
  }))
}

/** Amounts are the only choice between types that has no words of its own (`decimal`). */
const MUST_BE_DECIMAL = 'must be digits, with a point and digits after it if needed, such as "0.01"'

const isPattern = ({ keyword }: Problem) => keyword === 'pattern'

/**
 * What a field must be comes before what one of its alternatives must be. For an empty text the
 * pattern is the less useful message.
 */
function usefulness(problem: Problem): number {
  if (problem.keyword === 'anyOf') return 0
  return isPattern(problem) ? 2 : 1
}

function readProblem(schema: TSchema, problem: Problem): [field: string, message: string][] {
  const at = problem.instancePath.slice(1).replaceAll('/', '.')
  if (problem.keyword === 'required') {
    return problem.params.requiredProperties.map((name) => [
      at === '' ? name : `${at}.${name}`,
      fieldMessage(schema, name) ?? 'is required',
    ])
  }
  if (problem.keyword === 'additionalProperties') {
    return problem.params.additionalProperties.map((name) => [
      shownName(name),
      'is not a known field',
    ])
  }
  if (problem.keyword === 'boolean') return [[shownName(at), 'is not a known field']]
  if (problem.keyword === 'enum')
    return [[at, `must be one of ${problem.params.allowedValues.join(', ')}`]]
  if (problem.keyword === 'anyOf') return [[at, fieldMessage(schema, at) ?? MUST_BE_DECIMAL]]
  // The schema's own message describes a missing field; this one is there and malformed.
  if (isPattern(problem))
    return [
      [
        at,
        fieldMessage(schema, at, 'pattern') ??
          `contains a character that is not allowed; it ${problem.message}`,
      ],
    ]
  return [[at, fieldMessage(schema, at, problem.keyword) ?? problem.message]]
}

/**
 * Converts the values of a query or path, which are all text, to the types of the schema: text that
 * is exactly a number or a boolean becomes one. Everything else stays text, and the schema check
 * then rejects it: `1.5` is not the id 1.
 */
export function readAddressValues(schema: TSchema, values: unknown): unknown {
  if (!Type.IsObject(schema)) return values
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => {
      const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
      return [name, typeof value === 'string' ? readAs(property, value) : value]
    }),
  )
}

function readAs(property: TSchema | undefined, text: string): unknown {
  if (Type.IsInteger(property)) return /^-?\d{1,16}$/.test(text) ? Number(text) : text
  if (Type.IsNumber(property)) return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text
  if (Type.IsBoolean(property) && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const buildSerializer = SerializerSelector()
type Serialize = ReturnType<ReturnType<typeof buildSerializer>>
const serializers = new WeakMap<object, Serialize>()

/**
 * Fastify's own serializers, each compiled at its first response instead of at the start: a route
 * has three, most of them for errors. Routes with the same schema share it. The schemas that others
 * refer to are the same in every server of a process.
 */
export const buildLazySerializer: typeof buildSerializer = (sharedSchemas, options) => {
  const compile = buildSerializer(sharedSchemas, options)
  return (route) => {
    const schema = Object(route.schema)
    let serialize: Serialize | undefined
    return (body) => {
      serialize ??= serializers.get(schema) ?? compile(route)
      serializers.set(schema, serialize)
      return serialize(body)
    }
  }
}
