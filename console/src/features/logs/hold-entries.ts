import type { LogEntry } from 'schema'

/** Newer entries push the oldest out of what is held, unless somebody loaded them. */
const HELD_MAX = 10_000

/** The entries of one filter that were read so far, newest first. */
export interface HeldEntries {
  /** Tells the filters apart. */
  readonly key: string
  readonly entries: readonly LogEntry[]
  /** So many of the newest do not meet the others: what lies between was not read. */
  readonly apart: number
}

export const NOTHING_HELD: HeldEntries = { key: '', entries: [], apart: 0 }

/**
 * Adds the newest page to what is held. When other entries came between the two, only the page is
 * held, unless somebody reads the others: then the page is held apart from them.
 */
export function holdNewest(
  held: HeldEntries,
  key: string,
  page: readonly LogEntry[],
  isReading: boolean,
): HeldEntries {
  const known = new Set(held.entries.map(({ id }) => id))
  const meets = page.some(({ id }) => known.has(id))
  if (held.key !== key || (!meets && !isReading)) return { key, entries: page, apart: 0 }
  const added = page.filter(({ id }) => !known.has(id))
  if (added.length === 0) return held
  const apart = meets && held.apart === 0 ? 0 : added.length + (meets ? held.apart : 0)
  const kept = meets ? held.entries : held.entries.slice(held.apart)
  const entries = [...added, ...kept]
  return { key, entries: entries.slice(0, Math.max(HELD_MAX, held.entries.length)), apart }
}

/** Forgets what does not meet the newest entries. */
export function holdTogether(held: HeldEntries): HeldEntries {
  return held.apart === 0 ? held : { ...held, entries: held.entries.slice(0, held.apart), apart: 0 }
}

/** Adds an older page below what is held. */
export function holdOlder(held: HeldEntries, page: readonly LogEntry[]): HeldEntries {
  const known = new Set(held.entries.map(({ id }) => id))
  const added = page.filter(({ id }) => !known.has(id))
  return { ...held, entries: [...held.entries, ...added] }
}
