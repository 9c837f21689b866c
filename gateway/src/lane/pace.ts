import Bottleneck from 'bottleneck'
import type { LaneTime } from './lane-time.ts'

/** Called once, when the call has its response; after that the next call may be sent. */
export type Release = () => void

/** The gate in front of the exchange: how many calls may be out at the same time. */
export interface Pace {
  /** Resolves when one more call may be sent. Only one grant is requested at a time. */
  grant(): Promise<Release>
}

export interface PaceOptions {
  readonly concurrency: number
  readonly time: LaneTime
}

// Bottleneck grants a free place within about 5 ms. Twenty times that is no accident, and still
// short of a slot.
const STUCK_MS = 100

/**
 * Bottleneck as a gate of `concurrency` places. It gets no `minTime`: SlotClock spaces the calls,
 * on the monotonic clock and from the actual dispatch, which Bottleneck (wall clock, planned slots)
 * does not.
 *
 * Even without `minTime` Bottleneck 2.19.5 plans each job no earlier than the one before on the
 * wall clock (`_nextRequest` in its LocalDatastore), so a clock set back by an hour would stall the
 * gate for an hour. A limiter that withholds a grant although a place is free is therefore
 * replaced. A busy event loop can cause that too, any number of times in a row, so replacing must
 * be harmless: the new limiter gets everything that the old one held, and nothing that the old one
 * still does has an effect.
 */
export function createPace(options: PaceOptions): Pace {
  return new BottleneckPace(options)
}

class BottleneckPace implements Pace {
  readonly #concurrency: number
  readonly #time: LaneTime
  /** One promise per call that is out; it resolves with the call's response. */
  readonly #out = new Set<Promise<void>>()
  #limiter: Bottleneck
  #waiting: PromiseWithResolvers<Release> | undefined
  #cancelWatch = () => {}

  constructor({ concurrency, time }: PaceOptions) {
    this.#concurrency = concurrency
    this.#time = time
    this.#limiter = new Bottleneck({ maxConcurrent: concurrency })
  }

  grant(): Promise<Release> {
    this.#waiting = Promise.withResolvers()
    this.#ask()
    return this.#waiting.promise
  }

  #ask(): void {
    this.#schedule(() => this.#occupy())
    this.#watch()
  }

  #schedule(job: () => Promise<void>): void {
    const limiter = this.#limiter
    const isReplaced = () => limiter !== this.#limiter
    limiter
      .schedule(async () => (isReplaced() ? undefined : job()))
      // A replaced limiter drops its jobs, which the new one has.
      .catch((error) => (isReplaced() ? undefined : this.#fail(error)))
  }

  /** Grants the place in which it runs, and keeps it until the response is there. */
  async #occupy(): Promise<void> {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    this.#cancelWatch()
    const { promise: response, resolve } = Promise.withResolvers<void>()
    this.#out.add(response)
    waiting.resolve(() => {
      this.#out.delete(response)
      resolve()
      this.#watch()
    })
    await response
  }

  #watch(): void {
    this.#cancelWatch()
    if (this.#waiting === undefined || this.#out.size >= this.#concurrency) return
    this.#cancelWatch = this.#time.setTimer(STUCK_MS, () => this.#replace())
  }

  #replace(): void {
    const stuck = this.#limiter
    this.#limiter = new Bottleneck({ maxConcurrent: this.#concurrency })
    stuck.stop({ dropWaitingJobs: true }).catch((error) => this.#fail(error))
    for (const response of this.#out) this.#schedule(() => response)
    this.#ask()
  }

  #fail(error: unknown): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#cancelWatch()
    waiting?.reject(error)
  }
}
