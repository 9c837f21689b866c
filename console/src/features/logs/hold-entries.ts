import type { LogEntry } from 'schema'

/** Newer entries push the oldest out of what is held, unless somebody loaded them. */
export const HELD_MAX = 10_000

/** The entries of one filter that were read so far, newest first, without a gap. */
export interface HeldEntries {
  /** Tells the filters apart. */
  readonly key: string
  readonly entries: readonly LogEntry[]
}

/**
 * Adds the newest page to what is held. When other entries came between the two, only the page is
 * held: what lies between is not known.
 */
export function holdNewest(held: HeldEntries, key: string, page: readonly LogEntry[]): HeldEntries {
  const known = new Set(held.entries.map(({ id }) => id))
  const meets = page.some(({ id }) => known.has(id))
  if (held.key !== key || !meets) return { key, entries: page }
  const added = page.filter(({ id }) => !known.has(id))
  if (added.length === 0) return held
  const entries = [...added, ...held.entries]
  return { key, entries: entries.slice(0, Math.max(HELD_MAX, held.entries.length)) }
}

/** Adds an older page below what is held. */
export function holdOlder(held: HeldEntries, page: readonly LogEntry[]): HeldEntries {
  const known = new Set(held.entries.map(({ id }) => id))
  const added = page.filter(({ id }) => !known.has(id))
  return { ...held, entries: [...held.entries, ...added] }
}
