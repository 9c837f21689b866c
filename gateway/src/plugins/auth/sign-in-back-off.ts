import { TooManyAttemptsError } from './errors.ts'

/** Attempts that nothing slows down. */
const FREE = 20
/** After them each attempt waits twice as long as the one before, from a second to this. */
const WAIT_MAX_MS = 300_000
/** An account without an attempt for this long starts anew. */
const FORGET_MS = 3_600_000
const ACCOUNTS_MAX = 10_000

interface Attempts {
  readonly count: number
  readonly lastAtMs: number
}

/**
 * Slows down guesses of one account's password from addresses that it was not used from, however
 * many addresses there are. Attempts count before the password is checked, so that many at once are
 * not let through; those that must wait are refused and do not count. Whoever knows which accounts
 * exist learns nothing: any name that is given is counted.
 */
export class SignInBackOff {
  readonly #nowMs: () => number
  readonly #accounts = new Map<string, Attempts>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** @throws TooManyAttemptsError */
  take(email: string): void {
    const account = email.toLowerCase()
    const nowMs = this.#nowMs()
    const { count, lastAtMs } = this.#attemptsOf(account, nowMs)
    const waitMs = lastAtMs + waitAfter(count) - nowMs
    if (waitMs > 0) throw new TooManyAttemptsError(Math.ceil(waitMs / 1000))
    // The oldest attempts come first in the map.
    this.#accounts.delete(account)
    if (this.#accounts.size >= ACCOUNTS_MAX) {
      const [oldest] = this.#accounts.keys()
      if (oldest !== undefined) this.#accounts.delete(oldest)
    }
    this.#accounts.set(account, { count: count + 1, lastAtMs: nowMs })
  }

  /** The right password was given: the account starts anew. */
  succeeded(email: string): void {
    this.#accounts.delete(email.toLowerCase())
  }

  #attemptsOf(account: string, nowMs: number): Attempts {
    const known = this.#accounts.get(account)
    // A clock that was set back starts anew.
    const isRecent = known !== undefined && Math.abs(nowMs - known.lastAtMs) < FORGET_MS
    return isRecent ? known : { count: 0, lastAtMs: nowMs }
  }
}

function waitAfter(count: number): number {
  return count < FREE ? 0 : Math.min(WAIT_MAX_MS, 1000 * 2 ** Math.min(count - FREE, 20))
}
