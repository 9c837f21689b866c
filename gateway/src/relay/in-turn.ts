/**
 * Runs works of the same key one after another, in the order in which they came. A work that fails does not
 * keep the next from running.
 */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    // Only the next in turn waits for this one; the failure goes to the caller, who has `mine`.
    const settled = mine.catch(() => undefined)
    last.set(key, settled)
    try {
      return await mine
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
