import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type {
  FastifyContextConfig,
  FastifyRequest,
  FastifySchemaCompiler,
  FastifyServerOptions,
} from 'fastify'
import {
  type Access,
  ApprovalNeeded,
  type Endpoint,
  type FieldProblem,
  fieldMessage,
  type Permission,
} from 'schema'
import type { TSchema } from 'typebox'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { shownName } from './shown-text.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call. A route without it makes the start fail. */
    access?: Access
    /** The catalogue's entry that the route serves. */
    endpoint?: Endpoint
    /** It serves an exchange's own paths. */
    isRaw?: true
    /**
     * The permission that a client needs, when it depends on the request. Overrides the endpoint's.
     * @throws when nobody may call
     */
    permissionOf?: (request: FastifyRequest) => Permission
  }
}

/** Whether only the owner of the exchanges responds, and not each node of a group. */
export function isForOwner(config: FastifyContextConfig | undefined): boolean {
  const { endpoint, stream } = config ?? {}
  return stream !== undefined || (endpoint !== undefined && endpoint.anywhere !== true)
}

/**
 * The permission that a client needs for this request; undefined when it needs none.
 * @throws when nobody may call
 */
export function permissionFor(request: FastifyRequest): Permission | undefined {
  const { endpoint, permissionOf } = request.routeOptions.config
  return permissionOf?.(request) ?? endpoint?.proxy?.permission
}

type StatusOf<E extends Endpoint> = E['status'] extends number ? E['status'] : 200

/** An endpoint's schemas under the names that Fastify uses. Absent parts stay absent. */
type RouteSchema<E extends Endpoint> = (E['body'] extends TSchema ? { body: E['body'] } : object) &
  (E['query'] extends TSchema ? { querystring: E['query'] } : object) &
  (E['params'] extends TSchema ? { params: E['params'] } : object) &
  (E['response'] extends TSchema ? { response: Record<StatusOf<E>, E['response']> } : object)

interface RouteOf<E extends Endpoint> {
  method: E['method']
  url: string
  schema: RouteSchema<E>
  config: { access: Access; endpoint: Endpoint }
}

/**
 * Fastify's route options for an endpoint of the catalogue: method, url, schemas, and who may call.
 */
export function routeOf<const E extends Endpoint>(endpoint: E): RouteOf<E> {
  const { access, body, method, params, path, query } = endpoint
  const schema = {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    response: responsesOf(endpoint),
  }
  return {
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // The parts are assembled at run time from an endpoint whose exact type only the caller knows.
    schema: schema as unknown as RouteSchema<E>,
    config: { access, endpoint },
  }
}

const NOTHING = Type.Null()
const ERROR = Type.Ref('Error')
const responses = new WeakMap<Endpoint, Readonly<Record<string, TSchema>>>()

/** The same objects each time: what serializes a schema is kept for the schema itself. */
function responsesOf(endpoint: Endpoint): Readonly<Record<string, TSchema>> {
  const { approval, response = NOTHING, status = 200 } = endpoint
  const known = responses.get(endpoint)
  if (known !== undefined) return known
  const found = {
    [status]: response,
    ...(approval === undefined ? {} : { 202: ApprovalNeeded }),
    '4xx': ERROR,
    '5xx': ERROR,
  }
  responses.set(endpoint, found)
  return found
}

/** Like `routeOf`, for a handler that sends the response as text that it has already serialized. */
export function textRouteOf<const E extends Endpoint>(endpoint: E) {
  const route = routeOf(endpoint)
  return { ...route, schema: route.schema as Omit<RouteSchema<E>, 'response'> }
}

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
