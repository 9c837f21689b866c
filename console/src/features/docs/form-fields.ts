import type { Endpoint } from 'schema'
import type { CallInput } from '../../api/client.ts'
import { formatNumber } from '../../components/format.ts'
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
function isDecimal({ anyOf = [] }: FieldSchema): boolean {
  const [text, number] = anyOf
  return text?.pattern !== undefined && number?.type === 'number'
}

/**
 * The schema of a whole number; undefined where the parameter takes none. One that is taken as text
 * too is a union.
 */
function integerOf(schema: FieldSchema): FieldSchema | undefined {
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

/** One field of a try-it form. */
export interface FormField extends Parameter {
  readonly kind: 'text' | 'secret' | 'number' | 'choice' | 'fixed'
  /** Of a choice; an optional one without a default also has '', which is not sent. */
  readonly choices: readonly string[]
  readonly initial: string
  readonly placeholder: string
}

/**
 * Where the form offers less than the endpoint takes: the leverage choices of the futures form, and
 * `force`, which is always `gtc` there (console-checklist.md, 200).
 */
const NARROWED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  bgFuturesPlaceOrder: { leverage: ['1', '2', '5', '10', '20', '50'], force: ['gtc'] },
}
const SECRETS = new Set(['clientSecret'])

/**
 * The fields of the form of an endpoint, with a working example filled in where that is harmless.
 */
export function fieldsOf(endpoint: Endpoint): FormField[] {
  const { sample = {} } = endpoint
  const examples: Record<string, unknown> = {
    ...sample.query,
    ...(typeof sample.body === 'object' ? sample.body : {}),
  }
  return parametersOf(endpoint).map((parameter) => {
    const narrowed = NARROWED[endpoint.id]?.[parameter.name]
    const choices = narrowed ?? choicesOf(parameter)
    const example = String(examples[parameter.name] ?? parameter.schema.examples?.[0] ?? '')
    return {
      ...parameter,
      kind: kindOf(parameter, choices),
      choices,
      initial: initialOf(parameter, choices, example, endpoint.access === 'client'),
      placeholder: SECRETS.has(parameter.name) ? '' : example,
    }
  })
}

function choicesOf({ schema, isRequired }: Parameter): readonly string[] {
  const values = schema.type === 'boolean' ? [true, false] : (schema.enum ?? [])
  if (values.length === 0) return []
  const canBeEmpty = !isRequired && schema.default === undefined
  return [...(canBeEmpty ? [''] : []), ...values.map(String)]
}

function kindOf({ name, schema }: Parameter, choices: readonly string[]): FormField['kind'] {
  if (choices.length > 0) return choices.length === 1 ? 'fixed' : 'choice'
  if (SECRETS.has(name)) return 'secret'
  return integerOf(schema) !== undefined || isDecimal(schema) ? 'number' : 'text'
}

// The example fills required fields only, and nothing that identifies somebody: a token request
// stays empty.
function initialOf(
  { name, schema, isRequired }: Parameter,
  choices: readonly string[],
  example: string,
  fillsExample: boolean,
): string {
  if (choices.length > 0 && choices[0] !== '') {
    const preferred = String(schema.default ?? example)
    return choices.includes(preferred) ? preferred : (choices[0] ?? '')
  }
  if (schema.default !== undefined) return String(schema.default)
  // A limit order needs a price: the form opens with one that can be sent.
  return (isRequired || name === 'price') && fillsExample ? example : ''
}

/**
 * A typed value as the endpoint takes it: whole numbers and booleans of JSON, all else as the text
 * it is.
 */
function toJsonValue({ schema, place }: Pick<FormField, 'schema' | 'place'>, text: string) {
  if (place !== 'body') return text
  if (isBoolean(schema, text)) return text === 'true'
  // What is no integer goes as typed: the gateway says what is wrong with it.
  const number = Number(text)
  return integerOf(schema) !== undefined && Number.isSafeInteger(number) && text.trim() !== ''
    ? number
    : text
}

function isBoolean({ type }: FieldSchema, text: string): boolean {
  return type === 'boolean' && (text === 'true' || text === 'false')
}

/** What is typed, by field name; every value is text. */
export type FormValues = Readonly<Record<string, string>>

export function initialValues(fields: readonly FormField[]): FormValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]))
}

/** The request that the form describes; fields left empty are not part of it. */
export function requestOf(
  endpoint: Endpoint,
  fields: readonly FormField[],
  values: FormValues,
): CallInput {
  const part = (place: FormField['place']) =>
    Object.fromEntries(
      fields
        .filter((field) => field.place === place && (values[field.name] ?? '') !== '')
        .map((field) => [field.name, toJsonValue(field, values[field.name] ?? '')]),
    )
  return {
    ...(endpoint.params === undefined ? {} : { params: part('path') }),
    ...(endpoint.query === undefined ? {} : { query: part('query') }),
    ...(endpoint.body === undefined ? {} : { body: part('body') }),
  }
}

/** What may be kept of what was typed. */
export function withoutSecrets(fields: readonly FormField[], values: FormValues): FormValues {
  const kept = fields.filter(({ kind }) => kind !== 'secret')
  return Object.fromEntries(kept.map(({ name }) => [name, values[name] ?? '']))
}

/** What keeps the form from being sent, by field name; empty when nothing does. */
export function problemsOf(
  fields: readonly FormField[],
  values: FormValues,
): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const { name, isRequired, schema } of fields) {
    if (isRequired && (values[name] ?? '') === '')
      problems[name] = schema['x-error'] ?? texts.required(name)
  }
  const hasPrice = fields.some(({ name }) => name === 'price')
  if (hasPrice && isLimitOrder(values) && (values.price ?? '') === '')
    problems.price = texts.priceRequired
  return problems
}

export const isLimitOrder = ({ orderType, type }: FormValues) =>
  (orderType ?? type ?? '').toLowerCase() === 'limit'
