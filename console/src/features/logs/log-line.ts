import type { LogEntry } from 'schema'

/** An entry made ready for the list: found by its key, searched without work per keystroke. */
export interface LogLine {
  readonly entry: LogEntry
  /** The same for the same entry in every response. */
  readonly key: string
  /** Unix ms; 0 when the time is broken. */
  readonly atMs: number
  /** Endpoint, client id, error code and note in lower case; searches look in it. */
  readonly haystack: string
}

/**
 * Newest first; entries of the same time keep the gateway's order, those with a broken time come
 * last.
 */
export function toLogLines(entries: readonly LogEntry[]): LogLine[] {
  return entries
    .map((entry, index) => ({ entry, index, atMs: Date.parse(entry.timestamp) || 0 }))
    .sort((a, b) => b.atMs - a.atMs || a.index - b.index)
    .map(({ entry, index, atMs }) => ({
      entry,
      atMs,
      // Counted from the end: a response without ids grows at its beginning.
      key: String(entry.id ?? `${entry.timestamp}-${entries.length - index}`),
      haystack: [entry.endpoint, entry.clientId, entry.code, entry.note].join('\n').toLowerCase(),
    }))
}
