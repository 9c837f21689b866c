import { useSession } from '../api/session.ts'
import { loaderOf } from './page-loaders.ts'

export const loadCheckedSession = () => import('./checked-session.tsx')
export const loadSignedIn = () => import('./signed-in.tsx')

/**
 * Fetches everything behind the sign-in at once. Left to itself, each piece would ask for the next
 * one only when it has run.
 */
function startLoading(): void {
  // What is rendered asks for them again, and says so when they cannot be fetched.
  for (const load of [loadCheckedSession, loadSignedIn, loaderOf(window.location.pathname)])
    load?.().catch(() => {})
}

if (useSession.getState().session !== null) startLoading()
useSession.subscribe(({ session }, before) => {
  if (session !== null && before.session === null) startLoading()
})
