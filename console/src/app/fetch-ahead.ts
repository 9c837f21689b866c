import { useEffect } from 'react'
import { loadAhead } from '../components/load-ahead.ts'
import { loaderOf } from './page-loaders.ts'

const asked = new Set<string>()

/** Fetches the code of a page that somebody is about to open. */
async function fetchAhead(path: string): Promise<void> {
  const load = loaderOf(path)
  if (load === undefined || asked.has(path)) return
  asked.add(path)
  if (!(await loadAhead(load))) asked.delete(path)
}

/** Every link fetches the code of its page when the pointer or the keyboard reaches it. */
export function useFetchAhead(): void {
  useEffect(() => {
    const atLink = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest('a') : null
      if (link?.origin === window.location.origin) void fetchAhead(link.pathname)
    }
    document.addEventListener('pointerover', atLink)
    document.addEventListener('focusin', atLink)
    return () => {
      document.removeEventListener('pointerover', atLink)
      document.removeEventListener('focusin', atLink)
    }
  }, [])
}
