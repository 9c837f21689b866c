import { BaseDelay } from './base-delay.ts'

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
