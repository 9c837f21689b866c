import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { hostileText, numberText } from './hostile.ts'

interface JsonSchema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly examples?: readonly unknown[]
  readonly default?: unknown
}

/** Values that the schema accepts, as far as it is about one value at a time. */
export function valuesOf(schema: TSchema): fc.Arbitrary<unknown> {
  return valuesOfJson(schema as JsonSchema)
}

function valuesOfJson(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { anyOf, properties = {}, required = [], items, examples = [] } = schema
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(valuesOfJson))
  switch (schema.type) {
    case 'object': {
      const fields = Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, valuesOfJson(each)]),
      )
      return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
    }
    case 'array':
      return fc.array(items === undefined ? fc.constant(null) : valuesOfJson(items), {
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      })
    case 'integer':
    case 'number': {
      const { minimum: min = 0, maximum: max = 1_000_000 } = schema
      const around = fc.constantFrom(min, max, min + 1)
      const inside = fc.integer({
        min: Math.ceil(Math.max(min, -(2 ** 53))),
        max: Math.floor(Math.min(max, 2 ** 53)),
      })
      return fc.oneof(around, inside)
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return examples.length > 0
        ? fc.oneof(fc.constantFrom(...examples), textsOf(schema))
        : textsOf(schema)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function textsOf({ pattern, minLength = 0, maxLength = 60 }: JsonSchema): fc.Arbitrary<string> {
  const longest = Math.max(minLength, Math.min(maxLength, 200))
  if (pattern === undefined) return fc.string({ minLength, maxLength: longest })
  try {
    return fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, longest))
  } catch {
    return fc.string({ minLength, maxLength: longest }) // A pattern that fast-check cannot make.
  }
}

/** Texts for a parameter of an address: as its schema has it, or anything. */
export function parameterTexts(schema: TSchema): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: valuesOf(schema).map((value) => String(value)) },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: numberText },
  )
}
