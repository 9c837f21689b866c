/**
 * The exchange's clock is measured again after this time: clocks of virtual machines drift seconds
 * in a day.
 */
const MEASURE_AFTER_MS = 5 * 60_000

export interface ExchangeClock {
  /** The exchange's time, whole Unix ms. Our own until it is first measured. */
  nowMs(): number
  /**
   * Takes over a measurement; the times are those of the monotonic clock at sending and at the
   * response.
   */
  learn(serverTimeMs: number, sentAtMonotonicMs: number, receivedAtMonotonicMs: number): void
  /** How far the exchange is ahead of this machine's wall clock, whole ms. */
  offsetMs(): number
  /** Never measured, measured more than 5 minutes ago, or told to be stale. */
  needsMeasure(): boolean
  /** To be called when the exchange refused a request for its time. */
  markStale(): void
}

/**
 * Follows an exchange's clock from the monotonic clock, so that a step of this machine's wall clock
 * changes no timestamp.
 */
export function createExchangeClock({
  monotonicMs,
  wallMs,
}: {
  monotonicMs: () => number
  wallMs: () => number
}): ExchangeClock {
  let anchor = { exchangeMs: wallMs(), monotonicMs: monotonicMs() }
  let isStale = true

  const nowMs = () => Math.round(anchor.exchangeMs + monotonicMs() - anchor.monotonicMs)
  return {
    nowMs,
    learn(serverTimeMs, sentAtMonotonicMs, receivedAtMonotonicMs) {
      // The exchange read its clock somewhere between the two; the middle is wrong by half of the
      // way at most.
      anchor = {
        exchangeMs: serverTimeMs,
        monotonicMs: (sentAtMonotonicMs + receivedAtMonotonicMs) / 2,
      }
      isStale = false
    },
    offsetMs: () => nowMs() - Math.round(wallMs()),
    needsMeasure: () => isStale || monotonicMs() - anchor.monotonicMs > MEASURE_AFTER_MS,
    markStale() {
      isStale = true
    },
  }
}
