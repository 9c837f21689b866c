import { tabStorage } from '../components/browser-storage.ts'

/** What the sign-in screen says after a session that ended by itself. */
export interface EndNote {
  readonly reason: 'expired' | 'unreachable'
  /** Filled in for the next sign-in; empty when unknown. */
  readonly email: string
}

const KEY = 'sluice.session-end'

/** Leaves the note for the page that follows the reload. */
export function leaveEndNote(note: EndNote): void {
  tabStorage.setItem(KEY, JSON.stringify(note))
}

/** The note of the page before, given out once; null when there is none. */
export function takeEndNote(): EndNote | null {
  const text = tabStorage.getItem(KEY)
  tabStorage.removeItem(KEY)
  // Only leaveEndNote writes this key.
  return text === null ? null : (JSON.parse(text) as EndNote)
}
