import type { HeldAccount } from './lane-types.ts'

const PAUSE_MIN_MS = 1_000
const PAUSE_MAX_MS = 60_000
// An exchange may ban for days; after this long it gets a call again, whatever it said.
const STATED_PAUSE_MAX_MS = 24 * 3_600_000
const RATE_FACTOR_MIN = 1 / 8
const RECOVERY_PER_RESPONSE = 1 / 20

/** A call that the exchange rejected because of its rate limit. */
export interface RateLimitHit {
  /** When the call was sent. */
  readonly sentMs: number
  readonly nowMs: number
  /** What the exchange asked for; undefined when it said nothing. */
  readonly retryAfterMs: number | undefined
}

/**
 * What the exchange's rate limit does to the pace. A hit pauses the lane: as long as the exchange
 * says, otherwise a random time up to 2, 4, 8 … 60 s (full jitter: gateways behind one address must
 * not come back together), never under 1 s. Afterwards half of the rate is used, down to an eighth;
 * each good response gives a twentieth back.
 */
export class BackOff {
  readonly #random: () => number
  #rateFactor = 1
  #hits = 0
  #pausedAtMs = Number.NEGATIVE_INFINITY
  #pausedUntilMs = Number.NEGATIVE_INFINITY

  constructor(random: () => number) {
    this.#random = random
  }

  /** The part of the configured rate that is used now, up to 1. */
  get rateFactor(): number {
    return this.#rateFactor
  }

  /**
   * Nothing is sent before this moment. When the lane is not paused, it is in the past or minus
   * infinity.
   */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs
  }

  limited({ sentMs, nowMs, retryAfterMs }: RateLimitHit): void {
    // Calls that were already sent when the pause began say nothing about the slower rate.
    if (sentMs >= this.#pausedAtMs) {
      this.#hits += 1
      this.#rateFactor = Math.max(RATE_FACTOR_MIN, this.#rateFactor / 2)
    }
    this.#pausedAtMs = nowMs
    const pauseMs = isDuration(retryAfterMs) ? retryAfterMs : this.#jitteredMs()
    this.#pausedUntilMs = Math.max(
      this.#pausedUntilMs,
      nowMs + Math.min(pauseMs, STATED_PAUSE_MAX_MS),
    )
  }

  /** A response within the rate limit, to a call that was sent at `sentMs`. */
  accepted(sentMs: number): void {
    if (sentMs < this.#pausedAtMs) return
    this.#hits = 0
    this.#rateFactor = Math.min(1, this.#rateFactor + RECOVERY_PER_RESPONSE)
  }

  #jitteredMs(): number {
    const ceilingMs = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** this.#hits)
    return Math.max(PAUSE_MIN_MS, this.#random() * ceilingMs)
  }
}

function isDuration(ms: number | undefined): ms is number {
  return ms !== undefined && Number.isFinite(ms) && ms >= 0
}

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
