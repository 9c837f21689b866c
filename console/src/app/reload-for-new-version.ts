import { useSession } from '../api/session.ts'
import { keepUnsentForms } from '../api/unsent-forms.ts'

const KEY = 'sluice.reloaded-at'
const AGAIN_MS = 60_000

/**
 * A piece of the console that cannot be fetched was replaced by a newer deployment: the page loads
 * anew, at most once a minute. Otherwise, and without a network, the failure reaches the boundary
 * above it.
 */
export function reloadForNewVersion(event: Event): void {
  if (!navigator.onLine) return
  if (Date.now() - Number(sessionStorage.getItem(KEY) ?? 0) < AGAIN_MS) return
  event.preventDefault()
  sessionStorage.setItem(KEY, `${Date.now()}`)
  keepUnsentForms(useSession.getState().session?.user.email ?? '')
  window.location.reload()
}
