/**
 * The most that a call counts as late while only its round trip is known, or not even that. It
 * holds a packet that is lost once: TCP sends it again after 200 ms or more. Without a limit, an
 * exchange that works slowly would slow down the lane.
 */
export const LATE_MS_MAX = 400

/** Routes change, but seldom. Ten minutes are what LEDBAT remembers (RFC 6817). */
const ROUND_TRIP_HISTORY_MS = 10 * 60_000
/** Two clocks drift apart: by 15 ms in this time at 50 ppm, which is a bad clock. */
const CLOCK_HISTORY_MS = 5 * 60_000

/** A call whose response came. All times in ms. */
export interface CallTimes {
  /** When its bytes were on the socket, on the monotonic clock. */
  readonly sentMs: number
  /** When the first byte of its response came, on the monotonic clock. */
  readonly respondedMs: number
  /**
   * When the exchange had it, on the exchange's clock; undefined when the response does not say.
   */
  readonly exchangeTimeMs: number | undefined
}

/**
 * Estimates how much later than the quickest call a call may have arrived at the exchange: its
 * queuing delay on the way there (RFC 6817). Two measurements each give an upper bound, and the
 * lower one counts:
 *
 * - The round trip, less the quickest round trip. It contains the way back and the time that the
 *   exchange took, so it is mostly too high.
 * - The exchange's time, less the time of sending. The two clocks need not agree: their difference
 *   is the same for the quickest call.
 *
 * A call is only too early if the one `N` before arrived later than this says.
 */
export class NetworkDelay {
  readonly #roundTrip = new BaseDelay({
    historyMs: ROUND_TRIP_HISTORY_MS,
    excessMsMax: LATE_MS_MAX,
  })
  readonly #oneWay = new BaseDelay({ historyMs: CLOCK_HISTORY_MS, excessMsMax: LATE_MS_MAX })

  /**
   * From 0; up to LATE_MS_MAX without the exchange's time. The call becomes part of what later
   * calls are compared with.
   */
  lateMs({ sentMs, respondedMs, exchangeTimeMs }: CallTimes): number {
    const roundTripMs = respondedMs - sentMs
    this.#roundTrip.add(roundTripMs, respondedMs)
    const lateMs = roundTripMs - Math.max(0, this.#roundTrip.ms)
    if (exchangeTimeMs === undefined) return Math.min(LATE_MS_MAX, lateMs)
    const oneWayMs = exchangeTimeMs - sentMs
    this.#oneWay.add(oneWayMs, respondedMs)
    return Math.min(lateMs, oneWayMs - this.#oneWay.ms)
  }
}

/** The history consists of this many parts; the oldest one is dropped as a whole. */
const PARTS_MAX = 10

/** How many mean excesses, divided by the root of the number of calls, are reserved. */
const RESERVE = 4
/** Before so many calls, the quickest may be a very slow one: nothing is known. */
const CALLS_MIN = 4
/** Before so many calls, what they differ by is not known. */
const CALLS_KNOWN = 16
/** What is reserved until then at least. */
const UNKNOWN_RESERVE_MS = 50

interface Part {
  readonly startMs: number
  count: number
  minMs: number
  /** The sum of what the delays exceed `minMs` by. */
  excessMs: number
}

export interface BaseDelayOptions {
  /** How long a delay is remembered; a tenth less when it is the first of its part. */
  readonly historyMs: number
  /** No delay counts as longer than the quickest one by more than this. */
  readonly excessMsMax: number
}

/**
 * The smallest delay that a call may have, estimated from recent calls: what LEDBAT calls the base
 * delay (RFC 6817). The history is limited, so that a new route or a clock that drifts is learned.
 *
 * The quickest of `n` calls is not the quickest possible: one call in `n` is quicker still. How
 * much quicker depends on how much the delays differ. Therefore the estimate is lower than the
 * quickest call by a reserve: four times the mean excess over the quickest call, divided by the
 * root of `n`, and at least 50 ms for the first 15 calls. Of the first three, the delay may be
 * zero.
 */
export class BaseDelay {
  readonly #partMs: number
  readonly #excessMsMax: number
  readonly #parts: Part[] = []

  constructor({ historyMs, excessMsMax }: BaseDelayOptions) {
    this.#partMs = historyMs / PARTS_MAX
    this.#excessMsMax = excessMsMax
  }

  /** Minus infinity while nothing is known. */
  get ms(): number {
    let minMs = Number.POSITIVE_INFINITY
    for (const part of this.#parts) minMs = Math.min(minMs, part.minMs)
    let count = 0
    let excessMs = 0
    for (const part of this.#parts) {
      count += part.count
      excessMs += part.excessMs + part.count * Math.min(part.minMs - minMs, this.#excessMsMax)
    }
    if (count < CALLS_MIN) return Number.NEGATIVE_INFINITY
    const reserveMs = (RESERVE * excessMs) / count / Math.sqrt(count)
    return minMs - (count < CALLS_KNOWN ? Math.max(reserveMs, UNKNOWN_RESERVE_MS) : reserveMs)
  }

  add(delayMs: number, nowMs: number): void {
    const part = this.#partOf(nowMs)
    if (delayMs < part.minMs) {
      if (part.count > 0) part.excessMs += part.count * (part.minMs - delayMs)
      part.minMs = delayMs
    }
    part.count += 1
    part.excessMs += Math.min(delayMs - part.minMs, this.#excessMsMax)
  }

  #partOf(nowMs: number): Part {
    const last = this.#parts.at(-1)
    if (last !== undefined && nowMs < last.startMs + this.#partMs) return last
    const part = {
      startMs: nowMs,
      count: 0,
      minMs: Number.POSITIVE_INFINITY,
      excessMs: 0,
    }
    this.#parts.push(part)
    const keptSinceMs = nowMs - this.#partMs * PARTS_MAX
    while ((this.#parts[0] ?? part).startMs < keptSinceMs) this.#parts.shift()
    return part
  }
}
