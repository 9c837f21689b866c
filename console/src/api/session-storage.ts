import type { User } from 'schema'
import type { PersistStorage } from 'zustand/middleware'
import { longStorage } from '../components/browser-storage.ts'

export interface Session {
  readonly token: string
  readonly user: User
}

// Both keys are fixed; the token is stored as it is, not as JSON (docs/console-checklist.md, 10).
const TOKEN_KEY = 'authToken'
const USER_KEY = 'user'

/**
 * Keeps a session under its two keys; a half or unreadable one counts as none. Reading removes
 * nothing: what looks like a half may be another tab's sign-in, of which the second key has not
 * arrived yet.
 */
export const sessionStore: PersistStorage<{ session: Session | null }> = {
  getItem() {
    const user = parsed(longStorage.getItem(USER_KEY))
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

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null // Not JSON: nobody is signed in.
  }
}
