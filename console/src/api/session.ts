import type { User } from 'schema'
import { create } from 'zustand'
import { type PersistStorage, persist } from 'zustand/middleware'
import { longStorage, tabNote, tabStorage } from '../components/browser-storage.ts'
import { parseJson } from '../components/format-json.ts'

export interface Session {
  readonly token: string
  readonly user: User
}

// Both keys are fixed; the token is stored as it is, not as JSON (console-checklist.md, 10).
const TOKEN_KEY = 'authToken'
const USER_KEY = 'user'

/**
 * Keeps a session under its two keys; a half or unreadable one counts as none. Reading removes
 * nothing: what looks like a half may be another tab's sign-in, of which the second key has not
 * arrived yet.
 */
const sessionStore: PersistStorage<{ session: Session | null }> = {
  getItem() {
    const user = parseJson(longStorage.getItem(USER_KEY) ?? '')
    const session = toSession(longStorage.getItem(TOKEN_KEY), user)
    return session === null ? null : { state: { session } }
  },
  setItem(_, { state: { session } }) {
    if (session === null) return removeBoth()
    longStorage.setItem(TOKEN_KEY, session.token)
    longStorage.setItem(USER_KEY, JSON.stringify(session.user))
  },
  removeItem: removeBoth,
}

function removeBoth(): void {
  longStorage.removeItem(TOKEN_KEY)
  longStorage.removeItem(USER_KEY)
}

/** A session of what storage or a response holds; null when it is none. */
export function toSession(token: unknown, user: unknown): Session | null {
  if (typeof token !== 'string' || token === '') return null
  if (typeof user !== 'object' || user === null || !('email' in user)) return null
  return typeof user.email === 'string' ? { token, user: user as User } : null
}

/** What the sign-in screen says after a session that ended by itself. */
interface EndNote {
  readonly reason: 'expired' | 'unreachable'
  /** Filled in for the next sign-in; empty when unknown. */
  readonly email: string
}

const endNotes = tabNote<EndNote>('sluice.session-end')

/** What was typed in one form when a session ended, and whose it is. */
interface Unsent {
  readonly email: string
  readonly values: unknown
}

const FORM_PREFIX = 'sluice.unsent.'

/** What is typed in each form of the page now; null when there is nothing to keep. */
const readers = new Map<string, () => unknown>()

/** Lets a form be read when the session ends. The function that comes back ends that. */
export function registerForm(form: string, read: () => unknown): () => void {
  readers.set(form, read)
  return () => void readers.delete(form)
}

/** Keeps what is typed for the next sign-in of the same person, in this tab. */
export function keepUnsentForms(email = emailNow()): void {
  for (const [form, read] of readers) {
    const values = read()
    if (values !== null) tabStorage.setItem(FORM_PREFIX + form, JSON.stringify({ email, values }))
  }
}

/** What a person typed into a form before their session ended; undefined when there is nothing. */
export function unsentIn(form: string, email: string | undefined): unknown {
  // Only this module writes these keys.
  const kept = JSON.parse(tabStorage.getItem(FORM_PREFIX + form) ?? 'null') as Unsent | null
  return kept?.email === email ? kept?.values : undefined
}

export function forgetUnsent(form: string): void {
  tabStorage.removeItem(FORM_PREFIX + form)
}

/** Forgets what everybody typed, except this person. */
function forgetUnsentBut(email?: string): void {
  for (const key of tabStorage.keys()) {
    const form = key.slice(FORM_PREFIX.length)
    if (key.startsWith(FORM_PREFIX) && unsentIn(form, email) === undefined) forgetUnsent(form)
  }
}

interface SessionState {
  /** Null: signed out. Token and user are present together or not at all. */
  readonly session: Session | null
  /** Why the last session ended by itself, and whose it was; null after a sign-in or sign-out. */
  readonly endNote: EndNote | null
}

/** Who is signed in. Two storage keys, `authToken` and `user`, outlive the page. */
export const useSession = create<SessionState>()(
  persist((): SessionState => ({ session: null, endNote: endNotes.take() }), {
    name: 'session',
    storage: sessionStore,
    partialize: ({ session }) => ({ session }),
    merge: (stored, current) => ({ ...current, session: null, ...(stored ?? {}) }),
  }),
)

// Whatever half or unreadable session an earlier page left.
if (useSession.getState().session === null) sessionStore.removeItem('session')

// Before the forms of the page are gone. Their text is for the same person alone.
useSession.subscribe(({ session }, { session: before }) => {
  if (before !== null && before.token !== session?.token) keepUnsentForms(before.user.email)
  if (session !== null) forgetUnsentBut(session.user.email)
})

// Another tab signed in or out: this one follows.
window.addEventListener('storage', () => void useSession.persist.rehydrate())

/** The stored token, null when signed out. */
export function storedToken(): string | null {
  return useSession.getState().session?.token ?? null
}

export function signIn(session: Session): void {
  useSession.setState({ session, endNote: null })
}

export function signOut(): void {
  useSession.setState({ session: null, endNote: null })
  forgetUnsentBut()
}

/** Ends the session without the user's wish; the sign-in screen follows and says why. */
export function endSession(reason: EndNote['reason']): void {
  useSession.setState({ session: null, endNote: { reason, email: emailNow() } })
}

const emailNow = () => useSession.getState().session?.user.email ?? ''

let isReloading = false

/**
 * What a 401 leads to: both keys go and the page loads anew, once however many calls were refused.
 * What was typed and not sent is kept.
 */
export function expireSession(): void {
  if (isReloading) return
  isReloading = true
  endNotes.leave({ reason: 'expired', email: emailNow() })
  keepUnsentForms()
  sessionStore.removeItem('session')
  window.location.reload()
}
