import type { TObject, TSchema } from 'typebox'
import * as texts from './texts.ts'

/**
 * The rules of JSON Schema that form fields use, and the words that the schema has for breaking
 * them.
 */
interface FieldRules {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly minItems?: number
  readonly 'x-error'?: string
  readonly 'x-characters'?: string
}

// An address as the gateway's format `email` takes it, without quoted names and IP addresses, with
// a dot in the domain.
const EMAIL =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i

/**
 * Checks text fields and lists of a form against the body that they become, and words each failure
 * as the schema does (`x-error`). Lengths count UTF-16 units, like the input's own limit. Never
 * looser than the gateway, which checks with TypeBox: even its smallest validator (14 kB
 * compressed) would put the sign-in screen above its 110 kB.
 */
export function validateWith(schema: TObject) {
  return (values: object): Record<string, string> => {
    const fields: Record<string, unknown> = { ...values }
    const problems: Record<string, string> = {}
    for (const [name, rules] of Object.entries<TSchema>(schema.properties)) {
      const isRequired = schema.required?.includes(name) ?? false
      const value = fields[name]
      const problem = Array.isArray(value)
        ? listProblemOf(rules, value)
        : problemOf(rules, typeof value === 'string' ? value : '', isRequired)
      if (problem !== undefined) problems[name] = problem
    }
    return problems
  }
}

function listProblemOf({ minItems = 0, ...rules }: FieldRules, list: unknown[]) {
  return list.length < minItems ? (rules['x-error'] ?? texts.problemsChoose(minItems)) : undefined
}

/** Undefined when the text is acceptable. An optional empty field is. */
function problemOf(rules: FieldRules, value: string, isRequired: boolean): string | undefined {
  const words = rules['x-error']
  if (value === '') return isRequired ? (words ?? texts.problemsRequired) : undefined
  const { minLength = 0 } = rules
  if (value.length < minLength) return words ?? texts.problemsAtLeast(minLength)
  if (rules.format === 'email' && !EMAIL.test(value)) return words ?? texts.problemsEmail
  if (rules.maxLength !== undefined && value.length > rules.maxLength) {
    // Of a field with a lower bound the schema's message is about that one.
    const isOnlyRule = rules.minLength === undefined && rules.format === undefined
    return (isOnlyRule ? words : undefined) ?? texts.problemsAtMost(rules.maxLength)
  }
  if (rules.pattern !== undefined && !new RegExp(rules.pattern, 'u').test(value)) {
    return rules['x-characters'] ?? texts.problemsCharacters
  }
  if (rules.enum !== undefined && !rules.enum.includes(value)) return words ?? texts.problemsChoice
  return undefined
}
