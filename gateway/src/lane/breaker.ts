import type { HeldAccount } from './lane-types.ts'

/** This many failures in a row show that an exchange, or an account at it, is down. */
export const DOWNS_TO_OPEN = 5

const COOL_DOWN_MIN_MS = 5_000
const COOL_DOWN_MAX_MS = 60_000

/** `closed` lets all through, `open` none, `probing` one at a time. */
export type BreakerState = 'closed' | 'open' | 'probing'

/**
 * What a failure did: `suspected` when one more would open the breaker, or would have opened it,
 * but a single client saw them all.
 */
export type DownResult = 'opened' | 'suspected' | 'counted'

/**
 * Opens after five calls in a row failed, unless all of them were calls of one client: its own
 * calls may be the reason. After a cool-down of 5 s, twice as long after each probe that fails and
 * at most 60 s, single calls may try; the first that finds the exchange up closes it.
 */
export class Breaker {
  #downs = 0
  /** Whose calls failed since the last that did not. */
  readonly #clients = new Set<string>()
  #isCertain = false
  #openUntilMs: number | undefined
  #coolDownMs = COOL_DOWN_MIN_MS

  state(nowMs: number): BreakerState {
    if (this.#openUntilMs === undefined) return 'closed'
    return nowMs < this.#openUntilMs ? 'open' : 'probing'
  }

  /** Whether the last call failed. */
  isFailing(nowMs: number): boolean {
    return this.#downs > 0 || this.state(nowMs) !== 'closed'
  }

  /** The time until a probe may be sent; 0 when it may, and when the breaker is closed. */
  coolDownMs(nowMs: number): number {
    return Math.max(0, (this.#openUntilMs ?? nowMs) - nowMs)
  }

  /** A call got a response. True when that closed the breaker. */
  up(): boolean {
    const wasOpen = this.#openUntilMs !== undefined
    this.#forget()
    this.#openUntilMs = undefined
    this.#coolDownMs = COOL_DOWN_MIN_MS
    return wasOpen
  }

  /**
   * A call failed.
   * @param client whose call it was, when the client may be the reason; two clients agree on a
   * failure. Absent: the client cannot be the reason.
   */
  down(nowMs: number, client?: string): DownResult {
    const state = this.state(nowMs)
    if (state === 'open') return 'counted'
    this.#downs += 1
    if (client === undefined) this.#isCertain = true
    else this.#clients.add(client)
    const needed = state === 'closed' ? DOWNS_TO_OPEN : 1
    const isAgreed = this.#isCertain || this.#clients.size > 1
    if (!isAgreed) return this.#downs >= needed - 1 ? 'suspected' : 'counted'
    if (this.#downs < needed) return 'counted'
    if (state === 'probing') this.#coolDownMs = Math.min(COOL_DOWN_MAX_MS, this.#coolDownMs * 2)
    this.#openUntilMs = nowMs + this.#coolDownMs
    this.#forget()
    return 'opened'
  }

  #forget(): void {
    this.#downs = 0
    this.#clients.clear()
    this.#isCertain = false
  }
}

interface OfAccount {
  readonly breaker: Breaker
  readonly clientId: string
}

/** The breakers of single accounts. Only accounts whose last call failed have one. */
export class Accounts {
  readonly #breakers = new Map<string, OfAccount>()

  state(account: string | undefined, nowMs: number): BreakerState {
    return this.#find(account)?.state(nowMs) ?? 'closed'
  }

  /** The time until a call of the account may be sent. */
  coolDownMs(account: string | undefined, nowMs: number): number {
    return this.#find(account)?.coolDownMs(nowMs) ?? 0
  }

  /** How many accounts get no calls through now, not even to try. */
  brokenCount(nowMs: number): number {
    let count = 0
    for (const { breaker } of this.#breakers.values())
      if (breaker.state(nowMs) === 'open') count += 1
    return count
  }

  /** Those whose breaker is open, or lets single calls try. */
  held(nowMs: number): HeldAccount[] {
    return [...this.#breakers.values()]
      .filter(({ breaker }) => breaker.state(nowMs) !== 'closed')
      .map(({ breaker, clientId }) => ({
        clientId,
        state: 'broken',
        retryInMs: Math.round(breaker.coolDownMs(nowMs)),
      }))
  }

  /** A call of the account got a response. True when that closed its breaker. */
  up(account: string | undefined): boolean {
    const wasOpen = this.#find(account)?.up() ?? false
    if (account !== undefined) this.#breakers.delete(account)
    return wasOpen
  }

  /** A call of the account failed. True when that opened its breaker. */
  down(account: string, clientId: string, nowMs: number): boolean {
    const breaker = this.#find(account) ?? new Breaker()
    this.#breakers.set(account, { breaker, clientId })
    return breaker.down(nowMs) === 'opened'
  }

  /** The exchange was the reason. */
  clear(): void {
    this.#breakers.clear()
  }

  #find(account: string | undefined): Breaker | undefined {
    return account === undefined ? undefined : this.#breakers.get(account)?.breaker
  }
}
