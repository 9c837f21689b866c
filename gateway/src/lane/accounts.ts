import { Breaker, type BreakerState } from './breaker.ts'

/** The breakers of single accounts. Only accounts whose last call failed have one. */
export class Accounts {
  readonly #breakers = new Map<string, Breaker>()

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
    for (const breaker of this.#breakers.values()) if (breaker.state(nowMs) === 'open') count += 1
    return count
  }

  /** A call of the account got a response. True when that closed its breaker. */
  up(account: string | undefined): boolean {
    const wasOpen = this.#find(account)?.up() ?? false
    if (account !== undefined) this.#breakers.delete(account)
    return wasOpen
  }

  /** A call of the account failed. True when that opened its breaker. */
  down(account: string, nowMs: number): boolean {
    const breaker = this.#breakers.get(account) ?? new Breaker()
    this.#breakers.set(account, breaker)
    return breaker.down(nowMs) === 'opened'
  }

  /** The exchange was the reason. */
  clear(): void {
    this.#breakers.clear()
  }

  #find(account: string | undefined): Breaker | undefined {
    return account === undefined ? undefined : this.#breakers.get(account)
  }
}
