import { BackOff, type RateLimitHit } from './back-off.ts'
import type { HeldAccount } from './lane-types.ts'

/** A rejected client agrees with another one for this long after its pause. */
export const AGREES_FOR_MS = 10_000

/** The accounts that the exchange's rate limit rejected, and how long each is paused alone. */
export class AccountPauses {
  readonly #random: () => number
  /** Only accounts that were rejected and not accepted since have one. */
  readonly #backOffs = new Map<string, { readonly backOff: BackOff; readonly clientId: string }>()
  /** Until when a client's rejection agrees with another client's. */
  readonly #agreesUntilMs = new Map<string, number>()

  constructor(random: () => number) {
    this.#random = random
  }

  /** No call of the account is sent before this moment. It may be in the past. */
  pausedUntilMs(account: string | undefined): number {
    const paused = account === undefined ? undefined : this.#backOffs.get(account)
    return paused?.backOff.pausedUntilMs ?? Number.NEGATIVE_INFINITY
  }

  isPaused(account: string | undefined, nowMs: number): boolean {
    return this.pausedUntilMs(account) > nowMs
  }

  /** When the first of the current pauses ends; infinity when there are none. */
  nextEndMs(nowMs: number): number {
    let endMs = Number.POSITIVE_INFINITY
    for (const { backOff } of this.#backOffs.values()) {
      if (backOff.pausedUntilMs > nowMs) endMs = Math.min(endMs, backOff.pausedUntilMs)
    }
    return endMs
  }

  held(nowMs: number): HeldAccount[] {
    return [...this.#backOffs.values()]
      .filter(({ backOff }) => backOff.pausedUntilMs > nowMs)
      .map(({ backOff, clientId }) => ({
        clientId,
        state: 'paused',
        retryInMs: Math.round(backOff.pausedUntilMs - nowMs),
      }))
  }

  /** Whether another client is paused or was until a moment ago: the limit may be everybody's. */
  isAgreed(clientId: string, nowMs: number): boolean {
    for (const [other, untilMs] of this.#agreesUntilMs) {
      if (untilMs <= nowMs) this.#agreesUntilMs.delete(other)
      else if (other !== clientId) return true
    }
    return false
  }

  /** A call of the client was rejected, and what that pauses is paused until this moment. */
  remember(clientId: string, pausedUntilMs: number): void {
    this.#agreesUntilMs.set(clientId, pausedUntilMs + AGREES_FOR_MS)
  }

  /** Pauses the account: as long as the exchange says, otherwise longer after each rejection. */
  limited(account: string, clientId: string, hit: RateLimitHit): void {
    const backOff = this.#backOffs.get(account)?.backOff ?? new BackOff(this.#random)
    this.#backOffs.set(account, { backOff, clientId })
    backOff.limited(hit)
  }

  /** A call of the account got a response within the rate limit. */
  accepted(account: string | undefined, sentMs: number): void {
    if (account !== undefined && this.pausedUntilMs(account) <= sentMs)
      this.#backOffs.delete(account)
  }
}
