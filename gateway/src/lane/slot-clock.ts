import { LATE_MS_MAX } from './network-delay.ts'

const WINDOW_MS = 1000

/**
 * What the plan makes up for when a call was late: timers that fire late and short stalls cost no
 * slot. Two calls are closer together than their interval by at most this much.
 */
const CATCH_UP_MS = 20

interface SlotClockOptions {
  /** Calls that the exchange may see in any 1,000 ms; may be a fraction. */
  readonly ratePerSecond: number
  /** A margin for each window, beyond what is known of the network. */
  readonly guardMs: number
  /** Nothing is sent before this moment on the monotonic clock. */
  readonly startMs: number
}

/** A call that gets the next slot. */
interface SlotUse {
  /** When its slot comes: not before `dueMs`. */
  readonly slotMs: number
  /** Since when only the slot was missing. */
  readonly readyMs: number
  /** The part of the rate, over 0 and up to 1, that is used now. */
  readonly rateFactor: number
}

/** The slot that a call was given. */
export interface TakenSlot {
  /** When the call's bytes were on the socket; the moment of the slot until that is known. */
  sentMs: number
  /** True when `sentMs` is known. */
  isSent: boolean
  /** How much later than the quickest call it may have reached the exchange. */
  lateMs: number
}

/**
 * Says when the next call may go. Two rules hold at the same time:
 *
 * - The plan spaces calls evenly. A call that goes late moves the plan only by what exceeds
 *   `CATCH_UP_MS`.
 * - The window holds the limit: no call goes before a whole window has passed since the call `N`
 *   before it reached the exchange, as far as that can be known. `N` is the rate, rounded up when
 *   it is a fraction. The window is the time of `N` calls at this rate, which is 1,000 ms, and more
 *   for a fraction.
 *
 * The plan alone would send a call too early after calls that went late. The window alone would let
 * `N` calls go at once.
 */
export class SlotClock {
  #startMs: number
  readonly #callsPerWindow: number
  readonly #windowMs: number
  /** The last `#callsPerWindow` slots. The oldest is at `#oldest`, where the next one is put. */
  readonly #slots: TakenSlot[] = []
  #oldest = 0
  /** How many calls have a slot and are not on the socket. */
  #leaving = 0
  /** When the last call would have gone if nothing were late. */
  #plannedMs = Number.NEGATIVE_INFINITY

  constructor({ ratePerSecond, guardMs, startMs }: SlotClockOptions) {
    this.#startMs = startMs
    this.#callsPerWindow = Math.ceil(ratePerSecond)
    this.#windowMs = WINDOW_MS * (this.#callsPerWindow / ratePerSecond) + guardMs
  }

  /** Nothing is sent before this moment on the monotonic clock. */
  restart(startMs: number): void {
    this.#startMs = startMs
  }

  /** Between two calls when only `rateFactor` (0 to 1) of the rate is used. */
  spacingMs(rateFactor: number): number {
    return this.#windowMs / this.#callsPerWindow / rateFactor
  }

  /** From when on the next call may go, on the monotonic clock. */
  dueMs(rateFactor: number): number {
    return Math.max(this.#nextPlannedMs(rateFactor), this.#windowEndMs)
  }

  /**
   * True while no slot can be given, because calls that have theirs are not on the socket. As many
   * may be on their way as the plan makes up for: one where slots are far apart, and several where
   * getting ready to send takes longer than the time between two slots. The window of the next call
   * is known only once the call `N` before it is on the socket.
   */
  isBlocked(rateFactor: number): boolean {
    const leavingMax = 1 + Math.floor(CATCH_UP_MS / this.spacingMs(rateFactor))
    return this.#leaving >= leavingMax || this.#slots[this.#oldest]?.isSent === false
  }

  /** Gives the next slot to a call. */
  take({ slotMs, readyMs, rateFactor }: SlotUse): TakenSlot {
    // Time in which no call was ready is not made up for.
    const wantedMs = Math.max(this.#nextPlannedMs(rateFactor), readyMs)
    this.#plannedMs = Math.max(Math.min(wantedMs, slotMs), slotMs - CATCH_UP_MS)
    const slot = { sentMs: slotMs, isSent: false, lateMs: LATE_MS_MAX }
    this.#slots[this.#oldest] = slot
    this.#oldest = (this.#oldest + 1) % this.#callsPerWindow
    this.#leaving += 1
    return slot
  }

  /** The call's bytes are on the socket, or it has ended without a report of that. */
  sent(slot: TakenSlot, nowMs: number): void {
    if (!slot.isSent) this.#leaving -= 1
    slot.isSent = true
    slot.sentMs = Math.max(slot.sentMs, nowMs)
    this.#plannedMs = Math.max(this.#plannedMs, nowMs - CATCH_UP_MS)
  }

  /** The call may have reached the exchange this much later than the quickest one would have. */
  arrived(slot: TakenSlot, lateMs: number): void {
    slot.lateMs = lateMs
  }

  #nextPlannedMs(rateFactor: number): number {
    return Math.max(this.#startMs, this.#plannedMs + this.spacingMs(rateFactor))
  }

  get #windowEndMs(): number {
    const first = this.#slots[this.#oldest]
    if (first === undefined) return Number.NEGATIVE_INFINITY
    return first.sentMs + first.lateMs + this.#windowMs
  }
}
