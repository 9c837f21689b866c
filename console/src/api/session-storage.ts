import type { User } from 'schema'
import type { PersistStorage } from 'zustand/middleware'

export interface Session {
  readonly token: string
  readonly user: User
}

// The two keys are the specification's; the token stands as it is, not as JSON.
const TOKEN_KEY = 'authToken'
const USER_KEY = 'user'

/** Keeps a session under its two keys; a half or unreadable one counts as none and is removed. */
export const sessionStore: PersistStorage<{ session: Session | null }> = {
  getItem() {
    const token = localStorage.getItem(TOKEN_KEY)
    const user = readUser(localStorage.getItem(USER_KEY))
    if (token !== null && token !== '' && user !== null)
      return { state: { session: { token, user } } }
    removeBoth()
    return null
  },
  setItem(_, { state: { session } }) {
    if (session === null) return removeBoth()
    localStorage.setItem(TOKEN_KEY, session.token)
    localStorage.setItem(USER_KEY, JSON.stringify(session.user))
  },
  removeItem: removeBoth,
}

function removeBoth(): void {
  localStorage.removeItem(TOKEN_KEY)
  localStorage.removeItem(USER_KEY)
}

function readUser(text: string | null): User | null {
  try {
    const user: unknown = JSON.parse(text ?? 'null')
    const isUser =
      typeof user === 'object' && user !== null && 'email' in user && typeof user.email === 'string'
    return isUser ? (user as User) : null
  } catch {
    return null // Not JSON: nobody is signed in.
  }
}
