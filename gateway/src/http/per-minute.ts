const MINUTE_MS = 60_000

/**
 * Counts events by key within the current minute of the clock. All counts end with the minute, so
 * the memory is bounded by the keys of one minute.
 */
export class PerMinute {
  readonly #nowMs: () => number
  readonly #counts = new Map<string, number>()
  #minute = Number.NaN

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Counts one more, and returns the count with it. */
  add(key: string): number {
    const count = this.of(key) + 1
    this.#counts.set(key, count)
    return count
  }

  of(key: string): number {
    this.begin()
    return this.#counts.get(key) ?? 0
  }

  /** Drops the counts of an earlier minute. True when that minute has ended. */
  begin(): boolean {
    const minute = Math.floor(this.#nowMs() / MINUTE_MS)
    if (minute === this.#minute) return false
    this.#minute = minute
    this.#counts.clear()
    return true
  }

  /** Whole seconds until the next minute, 1 to 60. */
  secondsLeft(): number {
    const leftMs = MINUTE_MS - (this.#nowMs() % MINUTE_MS)
    return Math.ceil(leftMs / 1000)
  }
}
