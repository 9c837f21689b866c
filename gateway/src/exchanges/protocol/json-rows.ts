import { TOKEN } from './json-text.ts'

/** The name of a field, and its text or number as it is written. */
export type JsonField = readonly [name: string, text: string]

/** An object in a list of a JSON text. */
interface JsonRow {
  /** Those that were asked for, also of objects in it that are in no list. */
  readonly fields: readonly JsonField[]
  /** Offsets of the object. */
  readonly start: number
  readonly end: number
  /** Of its list, which rows of the same list share. */
  readonly list: object
  /** Whether it is the first member of the list. */
  readonly isFirst: boolean
}

/** A list or object that has begun and not ended. */
interface Open {
  readonly start: number
  readonly isList: boolean
  readonly list: object
  readonly isRow: boolean
  readonly isFirst: boolean
  readonly fields: JsonField[]
  members: number
  /** In an object, the name of the member that comes. */
  name: string | undefined
}

/**
 * Finds the objects in the lists of a JSON text in one pass, without parsing it.
 * @param isAsked which fields are wanted
 * @returns rows by their end, so that one within another comes before it; and the fields that are
 * in no row
 */
export function rowsIn(
  text: string,
  isAsked: (name: string) => boolean,
): { readonly rows: readonly JsonRow[]; readonly outside: readonly JsonField[] } {
  const rows: JsonRow[] = []
  const outside: JsonField[] = []
  const opened: Open[] = []
  let before = ''
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const within = opened.at(-1)
    if (token === '{' || token === '[') {
      const isRow = token === '{' && within?.isList === true
      opened.push({
        ...{ start: index, isList: token === '[', list: within ?? {}, name: undefined },
        ...{ isRow, isFirst: within?.members === 0, members: 0 },
        fields: isRow ? [] : (within?.fields ?? outside),
      })
      if (within !== undefined) within.members += 1
    } else if (token === '}' || token === ']') {
      const ended = opened.pop()
      if (ended?.isRow === true) {
        const { fields, start, list, isFirst } = ended
        rows.push({ fields, start, end: index + 1, list, isFirst })
      }
    } else if (token === ':' && within !== undefined) within.name = textOfToken(before)
    else if (token !== ',' && within !== undefined) {
      if (within.isList) within.members += 1
      else if (before === ':' && within.name !== undefined && isAsked(within.name))
        within.fields.push([within.name, textOfToken(token)])
    }
    before = token
  }
  return { rows, outside }
}

/** A JSON text without some of its rows; all else stays byte for byte. */
export function withoutRows(text: string, unwanted: readonly JsonRow[]): string {
  const parts: string[] = []
  let done = 0
  /** Lists of which nothing before this place was kept. */
  const emptied = new Set<object>()
  for (const { start, end, list, isFirst } of unwanted.toSorted((a, b) => a.start - b.start)) {
    if (start < done) continue
    const isNothingBefore = isFirst || (emptied.has(list) && isJoined(text, done, start))
    if (isNothingBefore) emptied.add(list)
    // A row goes with the comma before it; one that nothing is before, with the comma after it.
    const from = isNothingBefore ? Math.max(start, done) : text.lastIndexOf(',', start)
    const after = /^\s*,\s*/.exec(text.slice(end, end + 100))?.[0].length ?? 0
    parts.push(text.slice(done, Math.max(from, done)))
    done = isNothingBefore ? end + after : end
  }
  return parts.join('') + text.slice(done)
}

/** Whether there is only white space between two places. */
const isJoined = (text: string, from: number, to: number) => text.slice(from, to).trim() === ''

/** What a text says, and of anything else how it is written. */
function textOfToken(token: string): string {
  if (!token.startsWith('"')) return token
  return token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1)
}
