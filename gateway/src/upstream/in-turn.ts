/**
 * Runs works of the same key one after another, in the order in which they came. A work that fails does not
 * keep the next from running.
 */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  /**
   * @param wait waits for the turn that it is given; when it rejects, the work is not run, that is the error, and the
   * others keep their order
   */
  return <T>(
    key: string,
    work: () => Promise<T>,
    wait: (turn: Promise<unknown>) => Promise<unknown> = (turn) => turn,
  ): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = wait(before).then(work)
    // Only the next in turn waits for these; the failure goes to the caller, who has `mine`.
    const settled = Promise.allSettled([before, mine]).then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    last.set(key, settled)
    return mine
  }
}
