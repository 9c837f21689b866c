let underWay = 0

/**
 * Fetches code that somebody may need soon. A failure is no sign of a new version, and the page
 * must not load anew: nobody has asked for the code yet, and who does fetches it again.
 * @returns whether it was fetched
 */
export async function loadAhead(load: () => Promise<unknown>): Promise<boolean> {
  if (!navigator.onLine) return false
  underWay += 1
  try {
    await load()
    return true
  } catch {
    return false
  } finally {
    underWay -= 1
  }
}

window.addEventListener(
  'vite:preloadError',
  (event) => underWay > 0 && event.stopImmediatePropagation(),
  { capture: true },
)
