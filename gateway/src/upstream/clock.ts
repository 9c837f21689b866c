/**
 * An exchange's clock is measured again after this time: clocks of virtual machines drift by
 * seconds a day.
 */
const MEASURE_AFTER_MS = 5 * 60_000

export interface ExchangeClock {
  /** The exchange's time in whole Unix ms; this machine's until the first measurement. */
  nowMs(): number
  /** Applies a measurement. The two times are monotonic, at sending and at the response. */
  learn(serverTimeMs: number, sentAtMonotonicMs: number, receivedAtMonotonicMs: number): void
  /** Whether the exchange's time was ever measured. */
  isMeasured(): boolean
  /** How far the exchange's clock is ahead of this machine's wall clock, in whole ms. */
  offsetMs(): number
  /**
   * True when the clock was never measured, was measured more than 5 minutes ago, or is marked
   * stale.
   */
  needsMeasure(): boolean
  /** Call it when the exchange rejected a timestamp. */
  markStale(): void
}

/**
 * Derives an exchange's time from the monotonic clock, so that a step of this machine's wall clock
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
  let isMeasured = false

  const nowMs = () => Math.round(anchor.exchangeMs + monotonicMs() - anchor.monotonicMs)
  return {
    nowMs,
    learn(serverTimeMs, sentAtMonotonicMs, receivedAtMonotonicMs) {
      // The exchange read its clock at some moment between the two. The middle is off by at most
      // half of the time between them.
      anchor = {
        exchangeMs: serverTimeMs,
        monotonicMs: (sentAtMonotonicMs + receivedAtMonotonicMs) / 2,
      }
      isStale = false
      isMeasured = true
    },
    isMeasured: () => isMeasured,
    offsetMs: () => nowMs() - Math.round(wallMs()),
    needsMeasure: () => isStale || monotonicMs() - anchor.monotonicMs > MEASURE_AFTER_MS,
    markStale() {
      isStale = true
    },
  }
}
