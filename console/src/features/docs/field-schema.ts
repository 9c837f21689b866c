import type { Endpoint } from 'schema'
import { formatNumber } from '../../components/locale.ts'
import * as texts from './texts.ts'

const types = texts.types

/** What the catalogue says of one parameter, as JSON Schema. */
export interface FieldSchema {
  readonly type?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly FieldSchema[]
  readonly default?: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly 'x-error'?: string
}

export interface Parameter {
  readonly name: string
  readonly place: 'path' | 'query' | 'body'
  readonly isRequired: boolean
  readonly schema: FieldSchema
}

/** The parameters of an endpoint in the catalogue's order. */
export function parametersOf({ params, query, body }: Endpoint): Parameter[] {
  return [...partOf('path', params), ...partOf('query', query), ...partOf('body', body)]
}

function partOf(place: Parameter['place'], schema: object = {}): Parameter[] {
  // The schema is a literal by now: JSON Schema, of which these two keywords are read.
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, FieldSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, field]) => ({
    name,
    place,
    isRequired: required.includes(name),
    schema: field,
  }))
}

/**
 * A decimal number that travels as text: the catalogue takes a number too, and keeps every digit of
 * the text.
 */
export function isDecimal({ anyOf = [] }: FieldSchema): boolean {
  const [text, number] = anyOf
  return text?.pattern !== undefined && number?.type === 'number'
}

/**
 * The schema of a whole number; undefined where the parameter takes none. One that is taken as text
 * too is a union.
 */
export function integerOf(schema: FieldSchema): FieldSchema | undefined {
  return [schema, ...(schema.anyOf ?? [])].find(({ type }) => type === 'integer')
}

/** Type and limits in words: `integer, 1 to 125`. */
export function describeType(schema: FieldSchema): string {
  const { type, maxLength } = schema
  const { minimum = 0, maximum } = integerOf(schema) ?? {}
  if (schema.enum !== undefined) return schema.enum.length === 1 ? types.fixed : types.choice
  if (isDecimal(schema)) return types.decimal
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return types.integer(minimum, formatNumber(maximum))
  if (type === 'boolean') return types.boolean
  if (type === 'string') return maxLength === undefined ? types.string : types.stringUpTo(maxLength)
  return type ?? types.other
}
