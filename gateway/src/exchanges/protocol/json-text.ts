import { parsePlain } from './lossless.ts'
import { isRecord } from './untrusted.ts'

/**
 * A JSON object's text with a field filled in; all else stays byte for byte. A field that is there
 * as `null` or `""` gets the value where it stands, a missing one is put first.
 * @returns undefined when the text is no JSON object, is nested more than 64 deep, or has a value
 * there
 */
export function fillJsonField(text: string, name: string, value: string): string | undefined {
  const object = parsePlain(text)?.value
  if (!isRecord(object)) return undefined
  const written = JSON.stringify(value)
  const place = lastNamed(text, name)
  if (place === undefined) {
    const after = text.indexOf('{') + 1
    const field = `${JSON.stringify(name)}:${written}${Object.keys(object).length === 0 ? '' : ','}`
    return text.slice(0, after) + field + text.slice(after)
  }
  if (!['null', '""'].includes(text.slice(place.start, place.end))) return undefined
  return text.slice(0, place.start) + written + text.slice(place.end)
}

/**
 * A JSON object's text without the fields of these names; all else stays byte for byte. Text that is no JSON
 * object, or nested more than 64 deep, comes back as it is.
 */
export function withoutJsonFields(text: string, isUnwanted: (name: string) => boolean): string {
  if (!isRecord(parsePlain(text)?.value)) return text
  const members = memberValues(text)
  const kept = members.filter(({ name }) => !isUnwanted(String(name)))
  const [first] = members
  const last = members.at(-1)
  if (first === undefined || last === undefined || kept.length === members.length) return text
  const fields = kept.map((member) => text.slice(member.from, member.to))
  return text.slice(0, first.from) + fields.join(',') + text.slice(last.to)
}

/**
 * A JSON object's text with the value of one field changed; all else stays byte for byte.
 * @param change gets the value as it is written
 * @returns undefined when the text is no JSON object, is nested more than 64 deep or has no such field, and when
 * the change gives undefined
 */
export function mapJsonField(
  text: string,
  name: string,
  change: (value: string) => string | undefined,
): string | undefined {
  const place = isRecord(parsePlain(text)?.value) ? lastNamed(text, name) : undefined
  if (place === undefined) return undefined
  const value = change(text.slice(place.start, place.end))
  return value === undefined
    ? undefined
    : text.slice(0, place.start) + value + text.slice(place.end)
}

/**
 * A JSON list's text with its values changed one by one; all else stays byte for byte.
 * @param change gets a value as it is written, and its place; one for which it gives undefined stays
 * @returns undefined when the text is no JSON list or is nested more than 64 deep
 */
export function mapJsonList(
  text: string,
  change: (value: string, index: number) => string | undefined,
): string | undefined {
  if (!Array.isArray(parsePlain(text)?.value)) return undefined
  let done = 0
  const parts = memberValues(text).flatMap(({ start, end }, index) => {
    const value = text.slice(start, end)
    const before = text.slice(done, start)
    done = end
    return [before, change(value, index) ?? value]
  })
  return parts.join('') + text.slice(done)
}

/** Of several fields with one name the last counts, here as for the parser. */
function lastNamed(text: string, name: string): MemberValue | undefined {
  return memberValues(text).findLast((member) => member.name === name)
}

interface MemberValue {
  /** Undefined in a list. */
  readonly name: unknown
  /** Offsets of the whole member, with the white space around it, between the marks that part it from others. */
  readonly from: number
  readonly to: number
  /** Offsets in the text; the value only, without the white space around it. */
  readonly start: number
  readonly end: number
}

/** One token of valid JSON: a text, a mark, or a number or word. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g

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
