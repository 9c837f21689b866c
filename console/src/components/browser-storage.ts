interface BrowserStorage {
  readonly getItem: (key: string) => string | null
  readonly setItem: (key: string, value: string) => void
  readonly removeItem: (key: string) => void
  readonly keys: () => readonly string[]
  /** Whether it outlives the page. */
  readonly isKept: boolean
}

/** What outlives the browser's window. */
export const longStorage = storageOf('localStorage')

/** What outlives a reload of the tab. */
export const tabStorage = storageOf('sessionStorage')

/**
 * The browser's storage. In one that blocks site data, every use of it throws: there a map takes
 * its place, and a session lasts as long as its page.
 */
function storageOf(name: 'localStorage' | 'sessionStorage'): BrowserStorage {
  try {
    const storage = window[name]
    storage.getItem('')
    return {
      getItem: (key) => storage.getItem(key),
      setItem: (key, value) => storage.setItem(key, value),
      removeItem: (key) => storage.removeItem(key),
      keys: () => Object.keys(storage),
      isKept: true,
    }
  } catch {
    // A SecurityError, which says nothing more.
    const values = new Map<string, string>()
    return {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
      keys: () => [...values.keys()],
      isKept: false,
    }
  }
}

/** A note for the page that follows in this tab. */
export function tabNote<T>(key: string) {
  return {
    leave: (note: T) => tabStorage.setItem(key, JSON.stringify(note)),
    /** The note, given out once; null when there is none. */
    take(): T | null {
      const text = tabStorage.getItem(key)
      tabStorage.removeItem(key)
      // Only `leave` writes this key.
      return text === null ? null : (JSON.parse(text) as T)
    },
  }
}
