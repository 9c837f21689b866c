import { TooManyAttemptsError } from './errors.ts'

const FAILURES_MAX = 10
const WINDOW_MS = 900_000

/**
 * Limits guesses of one person's codes, wherever they come from: ten failures in a quarter of an
 * hour. With three codes valid at a time, that is a chance of 3 in 1,000 a day for somebody who
 * knows the password and never stops.
 */
export class GuessLimit {
  readonly #nowMs: () => number
  readonly #failures = new Map<number, number[]>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Counts an attempt before it is checked, so that many at once are not let through.
   * @returns takes it back, when it was right
   * @throws TooManyAttemptsError
   */
  take(adminId: number): () => void {
    const nowMs = this.#nowMs()
    // A clock that was set back starts anew.
    const isRecent = (atMs: number) => atMs <= nowMs && atMs > nowMs - WINDOW_MS
    const recent = (this.#failures.get(adminId) ?? []).filter(isRecent)
    const [oldest = nowMs] = recent
    if (recent.length >= FAILURES_MAX)
      throw new TooManyAttemptsError(Math.ceil((oldest + WINDOW_MS - nowMs) / 1000))
    recent.push(nowMs)
    this.#failures.set(adminId, recent)
    return () => {
      const counted = this.#failures.get(adminId) ?? []
      const index = counted.indexOf(nowMs)
      if (index >= 0) counted.splice(index, 1)
    }
  }
}
