import { Breaker, type BreakerState } from './breaker.ts'
import type { HeldAccount } from './lane-types.ts'

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
