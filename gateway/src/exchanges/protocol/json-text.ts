import { parseLossless } from './lossless.ts'
import { isRecord } from './untrusted.ts'

/** A text that is JSON, and what it says: read once, however often it is looked at and changed. */
export interface JsonText {
  readonly text: string
  /** As `parseLossless` gives it. */
  readonly value: unknown
}

/** Undefined when the text is no JSON, or nested more than 64 deep. */
export function readJson(text: string): JsonText | undefined {
  // Most reads have no body, and the error that a parser throws for it is slow.
  const parsed = text === '' ? undefined : parseLossless(text)
  return parsed === undefined ? undefined : { text, value: parsed.value }
}

/**
 * A JSON object with a field filled in; all else stays byte for byte. A field that is there as
 * `null` or `""` gets the value in its place, a missing one is put first.
 * @returns undefined when it is no object, or has a value there
 */
export function fillJsonField(
  { text, value: object }: JsonText,
  name: string,
  value: string,
): JsonText | undefined {
  if (!isRecord(object)) return undefined
  const written = JSON.stringify(value)
  const filled = { ...object, [name]: value }
  const place = lastNamed(text, name)
  if (place === undefined) {
    const after = text.indexOf('{') + 1
    const field = `${JSON.stringify(name)}:${written}${Object.keys(object).length === 0 ? '' : ','}`
    return { text: text.slice(0, after) + field + text.slice(after), value: filled }
  }
  if (!['null', '""'].includes(text.slice(place.start, place.end))) return undefined
  return { text: text.slice(0, place.start) + written + text.slice(place.end), value: filled }
}

/**
 * A JSON object without the fields of these names; all else stays byte for byte. What is no object
 * stays as it is.
 */
export function withoutJsonFields(json: JsonText, isUnwanted: (name: string) => boolean): JsonText {
  const { text, value } = json
  if (!isRecord(value)) return json
  const members = memberValues(text)
  const kept = members.filter(({ name }) => !isUnwanted(String(name)))
  const [first] = members
  const last = members.at(-1)
  if (first === undefined || last === undefined || kept.length === members.length) return json
  const fields = kept.map((member) => text.slice(member.from, member.to))
  return {
    text: text.slice(0, first.from) + fields.join(',') + text.slice(last.to),
    value: Object.fromEntries(Object.entries(value).filter(([name]) => !isUnwanted(name))),
  }
}

/**
 * The text of a JSON object with the value of one field changed; all else stays byte for byte.
 * @returns undefined when it is no object or has no such field, and when the change gives undefined
 */
export function mapJsonField(
  { text, value: object }: JsonText,
  name: string,
  change: (value: JsonText) => string | undefined,
): string | undefined {
  const place = isRecord(object) ? lastNamed(text, name) : undefined
  if (place === undefined || !isRecord(object)) return undefined
  const value = change({ text: text.slice(place.start, place.end), value: object[name] })
  return value === undefined
    ? undefined
    : text.slice(0, place.start) + value + text.slice(place.end)
}

/**
 * The text of a JSON list with its values changed one by one; all else stays byte for byte.
 * @param change gets a value and its place; one for which it gives undefined stays
 * @returns undefined when it is no list
 */
export function mapJsonList(
  { text, value: list }: JsonText,
  change: (value: JsonText, index: number) => string | undefined,
): string | undefined {
  if (!Array.isArray(list)) return undefined
  let done = 0
  const parts = memberValues(text).flatMap(({ start, end }, index) => {
    const entry = text.slice(start, end)
    const before = text.slice(done, start)
    done = end
    return [before, change({ text: entry, value: list[index] }, index) ?? entry]
  })
  return parts.join('') + text.slice(done)
}

/**
 * The values of the outermost fields with such a name, also of those that a parser would drop
 * because another of the same name follows. None when it is no object.
 */
export function valuesNamed(
  { text, value }: JsonText,
  isNamed: (name: string) => boolean,
): unknown[] {
  if (!isRecord(value)) return []
  return memberValues(text)
    .filter(({ name }) => isNamed(String(name)))
    .map(({ start, end }) => readJson(text.slice(start, end))?.value)
}

/**
 * Whether a parser may take a name for that of a field: some ignore case, hyphens, underscores and
 * spaces.
 * @param field in lower case
 */
export function isSpelledLike(name: string, field: string): boolean {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase() === field
}

/** Of several fields with one name the last counts, here as for the parser. */
function lastNamed(text: string, name: string): MemberValue | undefined {
  return memberValues(text).findLast((member) => member.name === name)
}

interface MemberValue {
  /** Undefined in a list. */
  readonly name: unknown
  /**
   * Offsets of the whole member, with the white space around it, between the marks that part it
   * from others.
   */
  readonly from: number
  readonly to: number
  /** Offsets in the text; the value only, without the white space around it. */
  readonly start: number
  readonly end: number
}

/** One token of valid JSON: a text, a mark, or a number or word. */
export const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Where the values of the outermost object or list stand. The text has to be valid JSON. */
function memberValues(text: string): MemberValue[] {
  const members: MemberValue[] = []
  let depth = 0
  let name: unknown
  let from = 0
  let start: number | undefined
  let before = { token: '', end: 0 }
  const isList = text.trimStart().startsWith('[')
  const isStart = (token: string) =>
    isList ? (before.token === '[' || before.token === ',') && token !== ']' : before.token === ':'
  const isEnd = (token: string) => token === ',' || token === '}' || token === ']'
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (depth === 1 && token === ':') name = JSON.parse(before.token)
    if (depth === 1 && isStart(token)) start = index
    if (depth === 1 && start !== undefined && isEnd(token)) {
      members.push({ name, from, to: index, start, end: before.end })
      start = undefined
    }
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    before = { token, end: index + token.length }
    if (depth === 1 && (token === '{' || token === ',')) from = before.end
  }
  return members
}
