/** This many failures in a row show that an exchange is down. */
export const DOWNS_TO_OPEN = 5

const COOL_DOWN_MIN_MS = 5_000
const COOL_DOWN_MAX_MS = 60_000

/** `closed` lets all through, `open` none, `probing` one at a time. */
export type BreakerState = 'closed' | 'open' | 'probing'

/**
 * Opens after five calls in a row found the exchange down. After a cool-down of 5 s, twice as long
 * after each probe that fails and at most 60 s, single calls may try; the first that finds the
 * exchange up closes it.
 */
export class Breaker {
  #downs = 0
  #openUntilMs: number | undefined
  #coolDownMs = COOL_DOWN_MIN_MS

  state(nowMs: number): BreakerState {
    if (this.#openUntilMs === undefined) return 'closed'
    return nowMs < this.#openUntilMs ? 'open' : 'probing'
  }

  /** The time until a probe may be sent; 0 when it may, and when the breaker is closed. */
  coolDownMs(nowMs: number): number {
    return Math.max(0, (this.#openUntilMs ?? nowMs) - nowMs)
  }

  /** The exchange responded. True when that closed the breaker. */
  up(): boolean {
    const wasOpen = this.#openUntilMs !== undefined
    this.#downs = 0
    this.#openUntilMs = undefined
    this.#coolDownMs = COOL_DOWN_MIN_MS
    return wasOpen
  }

  /** The exchange was down. True when that opened the breaker, or opened it again. */
  down(nowMs: number): boolean {
    const state = this.state(nowMs)
    this.#downs += 1
    if (state === 'open') return false
    if (state === 'closed' && this.#downs < DOWNS_TO_OPEN) return false
    if (state === 'probing') this.#coolDownMs = Math.min(COOL_DOWN_MAX_MS, this.#coolDownMs * 2)
    this.#openUntilMs = nowMs + this.#coolDownMs
    return true
  }
}
