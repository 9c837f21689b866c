import { tabStorage } from '../components/browser-storage.ts'

/** What was typed in one form when a session ended, and whose it is. */
interface Unsent {
  readonly email: string
  readonly values: unknown
}

const PREFIX = 'sluice.unsent.'

/** What is typed in each form of the page now; null when there is nothing to keep. */
const readers = new Map<string, () => unknown>()

/** Lets a form be read when the session ends. The function that comes back ends that. */
export function registerForm(form: string, read: () => unknown): () => void {
  readers.set(form, read)
  return () => void readers.delete(form)
}

/** Keeps what is typed for the next sign-in of the same person, in this tab. */
export function keepUnsentForms(email: string): void {
  for (const [form, read] of readers) {
    const values = read()
    if (values !== null) tabStorage.setItem(PREFIX + form, JSON.stringify({ email, values }))
  }
}

/** What a person typed into a form before their session ended; undefined when there is nothing. */
export function unsentIn(form: string, email: string | undefined): unknown {
  // Only this module writes these keys.
  const kept = JSON.parse(tabStorage.getItem(PREFIX + form) ?? 'null') as Unsent | null
  return kept?.email === email ? kept?.values : undefined
}

export function forgetUnsent(form: string): void {
  tabStorage.removeItem(PREFIX + form)
}

/** Forgets what everybody typed, except this person. */
export function forgetUnsentBut(email?: string): void {
  for (const key of tabStorage.keys()) {
    const form = key.slice(PREFIX.length)
    if (key.startsWith(PREFIX) && unsentIn(form, email) === undefined) forgetUnsent(form)
  }
}
