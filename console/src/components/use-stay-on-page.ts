import { useEffect } from 'react'

/**
 * Holds the person on the page while mounted: Back stays where it is, and closing or reloading the tab asks
 * first. It adds one history entry and takes it away again when unmounted.
 */
export function useStayOnPage(): void {
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
      window.history.back()
    }
  }, [])
}
