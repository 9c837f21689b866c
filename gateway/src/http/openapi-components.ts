import * as contracts from 'schema'
import {
  type Endpoint,
  type ErrorStatus,
  errorResponseOf,
  isOrderCall,
  OWN_ERROR_SAMPLES,
  orderErrorCodes,
  RESPONSE_HEADERS,
  type ResponseHeader,
  rawErrorCodes,
} from 'schema'
import { refusalTextOf } from '../exchanges/refusals.ts'

export type Json = Readonly<Record<string, unknown>>

/** What the operations of a document share, each added when the first of them refers to it. */
export interface Components {
  /** A schema as OpenAPI has it: those with a name are references, within others too. */
  schema(schema: unknown): unknown
  headers(names: readonly ResponseHeader[]): Json
  error(endpoint: Endpoint, status: ErrorStatus): Json
  /** The document's `components`: what was referred to. */
  readonly used: Readonly<Record<'schemas' | 'headers' | 'responses', Json>>
}

/** A contract's exported objects and enumerations have their names here too, or their `title`. */
export function createComponents(): Components {
  const names = new Map<string, string>()
  for (const [name, value] of Object.entries(contracts))
    if (isNamed(name, value)) names.set(JSON.stringify(value), value.title ?? name)
  const schemas: Record<string, Json> = {}
  const headers: Record<string, Json> = {}
  const responses: Record<string, Json> = {}

  function schema(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(schema)
    if (!isObject(part)) return part
    // `Type.Optional` copies a schema: its text says which one it is.
    const name = isShape(part) ? names.get(JSON.stringify(part)) : undefined
    if (name === undefined) return partsOf(part)
    if (schemas[name] === undefined) {
      schemas[name] = {}
      schemas[name] = partsOf(part)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function partsOf(all: Json): Json {
    const { $id: _ofTheGateway, 'x-error': _sentence, 'x-characters': _another, ...parts } = all
    const type = Array.isArray(parts.enum) && parts.type === undefined ? { type: 'string' } : {}
    const own = Object.entries(parts).map(([name, part]) => [name, schema(part)])
    return { ...type, ...Object.fromEntries(own) }
  }

  function refer(name: ResponseHeader): [ResponseHeader, Json] {
    const { description, type, example } = RESPONSE_HEADERS[name]
    headers[name] ??= { description, schema: { type }, example }
    return [name, { $ref: `#/components/headers/${name}` }]
  }

  const components: Components = {
    schema,
    headers: (wanted) => Object.fromEntries(wanted.map(refer)),
    error(endpoint, status) {
      const name = `${familyOf(endpoint, status)}${errorResponseOf(status).name}`
      responses[name] ??= errorResponse(endpoint, status, components)
      return { $ref: `#/components/responses/${name}` }
    },
    used: { schemas, headers, responses },
  }
  return components
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
const isShape = (schema: Json) => schema.type === 'object' || schema.enum !== undefined
const isNamed = (name: string, value: unknown): value is Json & { readonly title?: string } =>
  /^[A-Z][a-z]/.test(name) && isObject(value) && isShape(value)

const RAW_FORMS = {
  Bitget: contracts.BitgetError,
  MexcSpot: contracts.MexcSpotError,
  MexcFutures: contracts.MexcFuturesError,
} as const

/** The exchange's form of errors on a raw route. */
function rawFormOf({ path, proxy, tag }: Endpoint): keyof typeof RAW_FORMS | undefined {
  if (tag !== 'Raw routes') return undefined
  if (proxy?.exchange === 'bg') return 'Bitget'
  return path.includes('/api/v3/') ? 'MexcSpot' : 'MexcFutures'
}

const ownSampleOf = (endpoint: Endpoint, status: ErrorStatus) =>
  OWN_ERROR_SAMPLES[endpoint.id]?.[status]

/** Orders have error responses of their own, each raw form, and each call with a sample of it. */
function familyOf(endpoint: Endpoint, status: ErrorStatus): string {
  const { id } = endpoint
  if (ownSampleOf(endpoint, status) !== undefined)
    return `${id.charAt(0).toUpperCase()}${id.slice(1)}`
  return rawFormOf(endpoint) ?? (isOrderCall(endpoint) ? 'Order' : '')
}

/** Headers of errors that calls without an exchange have too. */
const OF_ALL: ReadonlySet<ResponseHeader> = new Set(['X-Request-Id', 'Retry-After'])

/** When the samples of Bitget's errors came. */
const SAMPLE_MS = 1_772_721_022_000

function errorResponse(endpoint: Endpoint, status: ErrorStatus, components: Components): Json {
  const { description, headers, sample, rawSample = sample } = errorResponseOf(status)
  const shown = {
    description,
    headers: components.headers(
      endpoint.proxy === undefined ? headers.filter((name) => OF_ALL.has(name)) : headers,
    ),
  }
  const rawForm = rawFormOf(endpoint)
  if (rawForm !== undefined) {
    const text = refusalTextOf(rawSample, endpoint.path, SAMPLE_MS) ?? ''
    return {
      ...shown,
      description: `${description}. In \`sluice\`: ${listOf(rawErrorCodes(status))}`,
      content: jsonOf(components.schema(RAW_FORMS[rawForm]), JSON.parse(text)),
    }
  }
  const error = components.schema(contracts.ErrorBody)
  if (!isOrderCall(endpoint))
    return { ...shown, content: jsonOf(error, ownSampleOf(endpoint, status)) }
  const codes = orderErrorCodes(status)
  const narrower = {
    type: 'object',
    required: ['statusCode', 'code'],
    properties: {
      statusCode: { type: 'integer', const: status },
      code: { type: 'string', enum: codes },
    },
  }
  return {
    ...shown,
    description: `${description}. ${listOf(codes)}`,
    content: jsonOf({ allOf: [error, narrower] }, sample),
  }
}

export const JSON_TYPE = 'application/json'

/** The same content in each of the types; the example is of the first. */
export const contentOf = (types: readonly string[], schema: unknown, example?: unknown): Json =>
  Object.fromEntries(
    types.map((type, index) => [
      type,
      { schema, ...(example === undefined || index > 0 ? {} : { example }) },
    ]),
  )
export const jsonOf = (schema: unknown, example?: unknown): Json =>
  contentOf([JSON_TYPE], schema, example)

export const listOf = (codes: readonly string[]): string =>
  codes.map((code) => `\`${code}\``).join(', ')
