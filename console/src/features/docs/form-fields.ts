import type { Endpoint } from 'schema'
import {
  type FieldSchema,
  integerOf,
  isDecimal,
  type Parameter,
  parametersOf,
} from './field-schema.ts'

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
 * `force`, which is always `gtc` there (docs/console-checklist.md, 200).
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
  { schema, isRequired }: Parameter,
  choices: readonly string[],
  example: string,
  fillsExample: boolean,
): string {
  if (choices.length > 0 && choices[0] !== '') {
    const preferred = String(schema.default ?? example)
    return choices.includes(preferred) ? preferred : (choices[0] ?? '')
  }
  if (schema.default !== undefined) return String(schema.default)
  return isRequired && fillsExample ? example : ''
}

/**
 * A typed value as the endpoint takes it: whole numbers and booleans of JSON, all else as the text
 * it is.
 */
export function toJsonValue({ schema, place }: Pick<FormField, 'schema' | 'place'>, text: string) {
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
