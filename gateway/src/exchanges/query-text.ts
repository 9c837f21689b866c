import type { Query } from './exchange.ts'

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

/** `name=value` pairs joined with `&`, in the order given. */
export function queryText(query: Query, encode: (text: string) => string): string {
  return query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
}

/** The same pairs by name in code-unit order; equal names keep their order. */
export function sortedByName(query: Query): Query {
  return query.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** Path and query as one request target; without a `?` when there is no query. */
export function targetOf(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`
}
