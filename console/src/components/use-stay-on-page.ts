import { useEffect, useRef } from 'react'
import { navigate } from 'wouter/use-browser-location'

/**
 * Holds the person on the page while mounted: Back stays where it is, and closing or reloading the
 * tab asks first. It adds one history entry and takes it away again when unmounted, or gives it to
 * the page that was named to `leaveFor` before.
 */
export function useStayOnPage(): { readonly leaveFor: (address: string) => void } {
  const next = useRef<string>(null)
  useEffect(() => {
    const here = window.location.href
    const stay = () => window.history.pushState(window.history.state, '', here)
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    stay()
    window.addEventListener('popstate', stay)
    window.addEventListener('beforeunload', ask)
    return () => {
      window.removeEventListener('popstate', stay)
      window.removeEventListener('beforeunload', ask)
      if (next.current === null) window.history.back()
      else navigate(next.current, { replace: true })
    }
  }, [])
  return {
    leaveFor: (address) => {
      next.current = address
    },
  }
}
