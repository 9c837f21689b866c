/** A name and its value, not percent-encoded. */
export type Pair = readonly [name: string, value: string]

/**
 * Percent-encodes as RFC 3986 asks: everything but `A-Z a-z 0-9 - _ . ~`, UTF-8, upper-case hex. A
 * lone surrogate becomes U+FFFD, which is also what hashing the same text as UTF-8 makes of it.
 */
export function percentEncode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * What percent-encoded text means, as servers of forms read it: a plus sign is a space, and a
 * percent sign without two digits is itself (WHATWG URL, 5.1). URLSearchParams takes far longer
 * over many plus signs.
 */
export function decodeText(text: string): string {
  if (!/[%+]/.test(text)) return text
  const bytes = Buffer.from(text)
  let length = 0
  for (let index = 0; index < bytes.length; index += 1) {
    let byte = bytes[index] ?? 0
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      const value = 16 * hexDigit(bytes[index + 1]) + hexDigit(bytes[index + 2])
      if (!Number.isNaN(value)) {
        byte = value
        index += 2
      }
    }
    bytes[length] = byte
    length += 1
  }
  return bytes.toString('utf8', 0, length)
}

const [SPACE, PERCENT, PLUS] = [0x20, 0x25, 0x2b]

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

/** `name=value` pairs joined with `&`, in the order given. */
export function queryText(
  pairs: readonly Pair[],
  encode: (text: string) => string = percentEncode,
): string {
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
}

/** The pairs of a query or a form, decoded, in the order in which they stand. */
export function readPairs(query: string): Pair[] {
  return partsOf(query).map(({ name, text }) => [
    name,
    decodeText(text.slice(nameLength(text) + 1)),
  ])
}

/**
 * The same pairs by name in code-unit order, each as it is written; equal names keep their order.
 */
export function sortedByName(query: string): string {
  const parts = partsOf(query)
  const sorted = parts.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const isSorted = sorted.every((part, index) => part === parts[index])
  return isSorted ? query : sorted.map(({ text }) => text).join('&')
}

/** The query without the pairs of these names; all else stays byte for byte. */
export function withoutNames(query: string, isUnwanted: (name: string) => boolean): string {
  return query
    .split('&')
    .filter((text) => !isUnwanted(nameOf(text)))
    .join('&')
}

/**
 * The query with the values of one name changed, percent-encoded anew; all else stays byte for
 * byte.
 * @param change gets the value decoded; one for which it gives undefined stays as it is
 */
export function mapValues(
  query: string,
  name: string,
  change: (value: string) => string | undefined,
): string {
  const changed = (text: string) => {
    const at = nameLength(text)
    const old = decodeText(text.slice(at + 1))
    // What is no UTF-8 could not be written again.
    const isReadable = nameOf(text) === name && !old.includes('\ufffd')
    const value = isReadable ? change(old) : undefined
    return value === undefined ? text : `${text.slice(0, at)}=${percentEncode(value)}`
  }
  return query.split('&').map(changed).join('&')
}

/** One query after the other. */
export function joinQueries(...queries: readonly string[]): string {
  return queries.filter((query) => query !== '').join('&')
}

/** Path and query as one request target; without a `?` when there is no query. */
export function targetOf(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`
}

function partsOf(query: string): { name: string; text: string }[] {
  return query
    .split('&')
    .filter((text) => text !== '')
    .map((text) => ({ name: nameOf(text), text }))
}

function nameOf(text: string): string {
  return decodeText(text.slice(0, nameLength(text)))
}

function nameLength(text: string): number {
  const at = text.indexOf('=')
  return at === -1 ? text.length : at
}

/** Values of a query by name; absent ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | undefined>>

/** The query of the values that are there. */
export function queryOf(values: QueryValues, encode = percentEncode): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`] as const],
  )
  return queryText(pairs, encode)
}
