import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { type LogFilter, NO_FILTER } from './filter-logs.ts'

export interface SavedFilter {
  readonly id: string
  readonly name: string
  readonly filter: LogFilter
}

export const SAVED_NAME_LENGTH_MAX = 40

interface SavedFilters {
  readonly saved: readonly SavedFilter[]
}

/** Sets of filters with a name, kept by the browser; oldest first. */
export const useSavedFilters = create<SavedFilters>()(
  persist((): SavedFilters => ({ saved: [] }), {
    name: 'sluice.log-filters',
    merge: (stored, current) => ({ ...current, saved: readSaved(stored) }),
  }),
)

const change = (next: (saved: readonly SavedFilter[]) => readonly SavedFilter[]) =>
  useSavedFilters.setState(({ saved }) => ({ saved: next(saved) }))

export function saveFilter(name: string, filter: LogFilter): void {
  // Not randomUUID: plain http has none.
  change((saved) => [...saved, { id: `${Date.now()}-${saved.length}`, name, filter }])
}

export function renameFilter(id: string, name: string): void {
  change((saved) => saved.map((each) => (each.id === id ? { ...each, name } : each)))
}

export function removeFilter(id: string): void {
  change((saved) => saved.filter((each) => each.id !== id))
}

/** Storage can hold what another version wrote: what is no text counts as no filter. */
function readSaved(stored: unknown): readonly SavedFilter[] {
  if (!isRecord(stored) || !Array.isArray(stored.saved)) return []
  return stored.saved.filter(isRecord).flatMap(({ id, name, filter }) => {
    if (typeof id !== 'string' || typeof name !== 'string' || !isRecord(filter)) return []
    const names = Object.keys(NO_FILTER) as (keyof LogFilter)[]
    const texts = names.map((key) => [key, typeof filter[key] === 'string' ? filter[key] : ''])
    return [{ id, name, filter: { ...NO_FILTER, ...Object.fromEntries(texts) } }]
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
