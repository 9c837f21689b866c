import { useEffect } from 'react'
import { loaderOf } from './page-loaders.ts'

const asked = new Set<string>()
let underWay = 0

/** Fetches the code of a page that somebody is about to open. */
export async function fetchAhead(path: string): Promise<void> {
  const load = loaderOf(path)
  if (load === undefined || asked.has(path) || !navigator.onLine) return
  asked.add(path)
  underWay += 1
  try {
    await load()
  } catch {
    // Nobody has asked for the page yet: opening it fetches again, and says so if that fails.
    asked.delete(path)
  } finally {
    underWay -= 1
  }
}

/** Every link fetches the code of its page when the pointer or the keyboard reaches it. */
export function useFetchAhead(): void {
  useEffect(() => {
    const atLink = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest('a') : null
      if (link?.origin === window.location.origin) void fetchAhead(link.pathname)
    }
    // A failure here is no sign of a new version: the page must not load anew.
    const atFailure = (event: Event) => underWay > 0 && event.stopImmediatePropagation()
    document.addEventListener('pointerover', atLink)
    document.addEventListener('focusin', atLink)
    window.addEventListener('vite:preloadError', atFailure, { capture: true })
    return () => {
      document.removeEventListener('pointerover', atLink)
      document.removeEventListener('focusin', atLink)
      window.removeEventListener('vite:preloadError', atFailure, { capture: true })
    }
  }, [])
}
