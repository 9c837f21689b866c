import { create } from 'zustand'

/**
 * How long a dismissed toast stays in the list of recent messages (docs/console-checklist.md, 216).
 */
const RECORD_MS = 1_000_000

export interface ToastEntry {
  readonly id: string
  readonly title: string
  readonly message: React.ReactNode
  readonly tone: 'success' | 'failure' | 'info'
  readonly isOpen: boolean
}

/** Every toast of the last while, newest first; at most one is open. */
export const useToastRecord = create<{ entries: readonly ToastEntry[] }>(() => ({ entries: [] }))

export function addToast(entry: Omit<ToastEntry, 'isOpen'>): void {
  for (const { id, isOpen } of useToastRecord.getState().entries) if (isOpen) dismissToast(id)
  useToastRecord.setState(({ entries }) => ({ entries: [{ ...entry, isOpen: true }, ...entries] }))
}

/**
 * Marks a toast as dismissed now; it leaves the record `RECORD_MS` later. A second call changes
 * nothing.
 */
export function dismissToast(id: string): void {
  const entry = useToastRecord.getState().entries.find((candidate) => candidate.id === id)
  if (!entry?.isOpen) return
  replaceEntries((each) => (each.id === id ? [{ ...each, isOpen: false }] : [each]))
  setTimeout(() => replaceEntries((each) => (each.id === id ? [] : [each])), RECORD_MS)
}

/** Empties the record, the open toast included: it is about a person who signed out. */
export function forgetToasts(): void {
  useToastRecord.setState({ entries: [] })
}

function replaceEntries(replace: (entry: ToastEntry) => ToastEntry[]): void {
  useToastRecord.setState(({ entries }) => ({ entries: entries.flatMap(replace) }))
}
