import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { type EndNote, leaveEndNote, takeEndNote } from './session-end.ts'
import { type Session, sessionStore } from './session-storage.ts'
import { forgetUnsentBut, keepUnsentForms } from './unsent-forms.ts'

interface SessionState {
  /** Null: signed out. Token and user are present together or not at all. */
  readonly session: Session | null
  /** Why the last session ended by itself, and whose it was; null after a sign-in or sign-out. */
  readonly endNote: EndNote | null
}

/** Who is signed in. Two storage keys, `authToken` and `user`, outlive the page. */
export const useSession = create<SessionState>()(
  persist((): SessionState => ({ session: null, endNote: takeEndNote() }), {
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
  const email = useSession.getState().session?.user.email ?? ''
  useSession.setState({ session: null, endNote: { reason, email } })
}

let isReloading = false

/**
 * What a 401 leads to: both keys go and the page loads anew, once however many calls were refused.
 * What was typed and not sent is kept.
 */
export function expireSession(): void {
  if (isReloading) return
  isReloading = true
  const email = useSession.getState().session?.user.email ?? ''
  leaveEndNote({ reason: 'expired', email })
  keepUnsentForms(email)
  sessionStore.removeItem('session')
  window.location.reload()
}
