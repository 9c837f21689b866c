import type { LaneTime } from './lane-time.ts'

const LOOK_EVERY_MS = 1000

/** Looks in a row that find work which should have been sent. */
const LOOKS_UNTIL_STUCK = 5

export interface StuckWatchOptions {
  readonly time: LaneTime
  /** True when a call should be out by now: nothing outside the lane holds it up. */
  readonly isOverdue: () => boolean
  /** Called once when the lane gets stuck, and once when it moves again. */
  readonly onChange: (isStuck: boolean) => void
}

/**
 * Notices a lane that has work, a free place and a slot that is due, and sends nothing for five seconds. Looks are
 * counted, not time: an event loop that is held up takes fewer looks, so a stall alone does not count.
 */
export class StuckWatch {
  readonly #options: StuckWatchOptions
  #cancelLook: (() => void) | undefined
  #looks = 0
  #isStuck = false

  constructor(options: StuckWatchOptions) {
    this.#options = options
  }

  get isStuck(): boolean {
    return this.#isStuck
  }

  /** Looks each second from when work waits until none does. */
  follow(hasWork: boolean): void {
    if (!hasWork) {
      this.#cancelLook?.()
      this.#cancelLook = undefined
      this.#looks = 0
    } else if (this.#cancelLook === undefined) {
      this.#cancelLook = this.#options.time.setTimer(LOOK_EVERY_MS, () => this.#look())
    }
  }

  /** The lane sent a call, or could send one if any waited. */
  moved(): void {
    this.#looks = 0
    if (!this.#isStuck) return
    this.#isStuck = false
    this.#options.onChange(false)
  }

  #look(): void {
    this.#looks = this.#options.isOverdue() ? this.#looks + 1 : 0
    this.#cancelLook = undefined
    this.follow(true)
    if (this.#looks < LOOKS_UNTIL_STUCK || this.#isStuck) return
    this.#isStuck = true
    this.#options.onChange(true)
  }
}
