import Bottleneck from 'bottleneck'
import type { LaneTime } from './lane-time.ts'

/** Gives a place back. */
export type Release = () => void

/** The gate in front of the exchange: how many calls may be out at the same time. */
export interface Pace {
  /** True while a place is free: one more call may be sent. */
  readonly isOpen: boolean
  /**
   * Takes a place for a call. The returned function gives it back when the call has ended.
   * @throws RangeError when no place is free
   */
  take(): Release
  /** `listener` is called whenever the gate gets a place that it did not have before. */
  onGrant(listener: () => void): void
}

export interface PaceOptions {
  readonly concurrency: number
  readonly time: LaneTime
  /** Bottleneck failed. It is asked again. */
  readonly onFault: (error: unknown) => void
}

// Bottleneck grants a free place within about 5 ms. Twenty times that is no accident.
const STUCK_MS = 100

/**
 * Bottleneck as a gate of `concurrency` places. A place is a job of Bottleneck that does not end.
 * The gate asks for all of them when it is made, and a place that one call gives back is free for
 * the next one: Bottleneck needs about 4 ms for each job, one after another, which would be the
 * highest rate of the lane. It gets no `minTime`: SlotClock spaces the calls, on the monotonic
 * clock and from the actual dispatch, which Bottleneck (wall clock, planned slots) does not.
 */
export function createPace(options: PaceOptions): Pace {
  return new BottleneckPace(options)
}

class BottleneckPace implements Pace {
  readonly #options: PaceOptions
  #limiter: Bottleneck
  /** The places that Bottleneck has not granted yet. */
  #missing: number
  #free = 0
  #onGrant = () => {}
  #cancelWatch = () => {}

  constructor(options: PaceOptions) {
    this.#options = options
    this.#missing = options.concurrency
    this.#limiter = this.#ask()
  }

  get isOpen(): boolean {
    return this.#free > 0
  }

  take(): Release {
    if (this.#free === 0) throw new RangeError('No place is free')
    this.#free -= 1
    let isOut = true
    return () => {
      if (isOut) this.#free += 1
      isOut = false
    }
  }

  onGrant(listener: () => void): void {
    this.#onGrant = listener
  }

  /** Asks a new limiter for the missing places. */
  #ask(): Bottleneck {
    const limiter = new Bottleneck({ maxConcurrent: this.#missing })
    const isReplaced = () => limiter !== this.#limiter
    for (let asked = 0; asked < this.#missing; asked += 1) {
      limiter
        .schedule(async () => {
          if (isReplaced()) return
          this.#granted()
          await new Promise<never>(() => {})
        })
        // A replaced limiter drops the jobs that wait; the new one has them.
        .catch((error) => (isReplaced() ? undefined : this.#options.onFault(error)))
    }
    this.#watch()
    return limiter
  }

  #granted(): void {
    this.#missing -= 1
    this.#free += 1
    this.#watch()
    this.#onGrant()
  }

  /**
   * Even without `minTime` Bottleneck 2.19.5 plans each job no earlier than the one before on the
   * wall clock (`_nextRequest` in its LocalDatastore), so a clock set back by an hour would
   * withhold for an hour what is not granted yet. Another limiter is then asked for it. A busy
   * event loop can cause that too, any number of times in a row, so replacing must be harmless: the
   * places that the old limiter granted stay, and it grants no more.
   */
  #watch(): void {
    this.#cancelWatch()
    if (this.#missing === 0) return
    this.#cancelWatch = this.#options.time.setTimer(STUCK_MS, () => this.#replace())
  }

  #replace(): void {
    const stuck = this.#limiter
    this.#limiter = this.#ask()
    stuck.stop({ dropWaitingJobs: true }).catch(this.#options.onFault)
  }
}
