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
