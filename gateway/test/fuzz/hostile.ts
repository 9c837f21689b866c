import fc from 'fast-check'
import type { TSchema } from 'typebox'

/** Texts that programs have stumbled over. */
const KNOWN = [
  ...['', ' ', '\0', '\r\n', '\n', '\t', '\u2028', '\ufeff', '\ud800', '💥', 'İ', 'ß', '𝒳'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length'],
  ...['null', 'undefined', 'NaN', 'Infinity', 'true', '[object Object]', '{}', '[]'],
  ...['../../etc/passwd', '%2e%2e%2f', '%252e', '%00', '%', '%zz', '//', ';', '#', '?', '&', '='],
  ...['0', '-0', '-1', '1e999', '1e-400', '0x10', '1_000', '１２', '00012', '+1', '.5', '5.'],
  ...['9007199254740993', '101716841474621953', '0.1234567890123456789', `1${'0'.repeat(400)}`],
  ...["' or 1=1 --", '"', "'", '\\', '\\"', '<script>', '=1+1', '@SUM(1)', '$$', '$&'],
  ...['x'.repeat(300), 'é'.repeat(70), 'a,b', 'a\r\nX-Evil: 1', '[redacted]'],
]

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...KNOWN) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 30 }) },
)

/** Numbers as JSON writes them, with more digits, exponents and signs than programs expect. */
export const numberText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('0', '-0', '0.0', '1e999', '-1e999', '1e-400', '9007199254740993', '1E+5'),
  fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][-+]?\d{1,3})?$/),
  fc.integer().map(String),
)

const nested = fc
  .record({ depth: fc.constantFrom(3, 63, 64, 65, 200, 3_000), isList: fc.boolean() })
  .map(({ depth, isList }) =>
    isList ? '['.repeat(depth) + ']'.repeat(depth) : '{"a":'.repeat(depth) + 1 + '}'.repeat(depth),
  )

/** The text of a JSON value of any type. */
export const jsonValueText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: numberText },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['null', 'true', 'false', '[]', '{}', '[null]', '[{}]', '[[]]', '""'],
      ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}', '{"toString":1}'],
    ),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: nested },
)

/** In the place of raw text, which may be no JSON. */
const HOLE = 'fuzz-hole'

type Path = readonly (string | number)[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]))]
}

/** @returns the value without what is at the path when `put` is undefined */
function changeAt(value: unknown, path: Path, put: string | undefined): unknown {
  const [name, ...rest] = path
  if (name === undefined) return put
  const copy: Record<string, unknown> = Array.isArray(value)
    ? Object.assign([], value)
    : { ...Object(value) }
  const changed = rest.length === 0 ? put : changeAt(copy[name], rest, put)
  if (changed === undefined) delete copy[name]
  else copy[name] = changed
  return copy
}

/** JSON text that begins as this value: with a few values replaced, taken out, added or doubled. */
export function mutatedJson(sample: unknown): fc.Arbitrary<string> {
  const places = pathsOf(sample)
  const change = fc.record({
    path: fc.constantFrom(...places),
    kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'double'),
    name: hostileText,
    text: jsonValueText,
  })
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    let text = JSON.stringify(sample) ?? 'null'
    for (const { path, kind, name, text: put } of changes) {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        return text // A change before made it no JSON: that is what is sent.
      }
      if (kind === 'add' || kind === 'double') {
        const own = kind === 'double' ? Object.keys(Object(value))[0] : name
        const at = text.startsWith('{') ? 1 : -1
        if (at === 1 && text !== '{}')
          text = `{${JSON.stringify(own ?? name)}:${put},${text.slice(1)}`
        continue
      }
      const changed = changeAt(value, path, kind === 'remove' ? undefined : HOLE)
      const holed = JSON.stringify(changed) ?? 'null'
      text = holed.split(`"${HOLE}"`).join(put)
    }
    return text
  })
}

interface Edit {
  readonly kind: string
  readonly at: number
  readonly length: number
  readonly text: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('delete', 'insert', 'replace', 'double', 'cut'),
  at: fc.nat(10_000),
  length: fc.integer({ min: 1, max: 12 }),
  text: hostileText,
})

function applyEdit(text: string, { kind, at, length, text: put }: Edit): string {
  const from = text.length === 0 ? 0 : at % (text.length + 1)
  const [before, part, after] = [
    text.slice(0, from),
    text.slice(from, from + length),
    text.slice(from + length),
  ]
  if (kind === 'delete') return before + after
  if (kind === 'insert') return before + put + part + after
  if (kind === 'replace') return before + put + after
  return kind === 'double' ? before + part + part + after : before
}

/** The text with one to three edits anywhere. */
export function editedText(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([text, edits]) => edits.reduce(applyEdit, text))
}

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
