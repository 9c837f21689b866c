/** Work that the exchange does after its response. */
export class Deferred {
  readonly #waiting = new Map<NodeJS.Timeout, () => void>()

  later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      work()
    }, delayMs)
    this.#waiting.set(timer, work)
  }

  /** Does now what is waiting, in the order in which it came. */
  flush(): void {
    const waiting = [...this.#waiting]
    this.clear()
    for (const [, work] of waiting) work()
  }

  /** Forgets what is waiting. */
  clear(): void {
    for (const timer of this.#waiting.keys()) clearTimeout(timer)
    this.#waiting.clear()
  }
}
