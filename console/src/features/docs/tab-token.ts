import { create } from 'zustand'
import { useSession } from '../../api/session.ts'

/**
 * The bearer token of a client that all try-it forms of this tab share. Memory only: gone with the
 * page or the session.
 */
export const useTabToken = create<{ readonly token: string }>(() => ({ token: '' }))

export function setTabToken(token: string): void {
  useTabToken.setState({ token })
}

useSession.subscribe(({ session }) => {
  if (session === null) setTabToken('')
})

/** The bare token of what was pasted: people copy it with spaces around it or with its `Bearer`. */
export function bareToken(pasted: string): string {
  return pasted.trim().replace(/^bearer\s+/i, '')
}
