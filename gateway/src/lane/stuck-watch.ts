import type { LaneTime } from './lane-time.ts'

const LOOK_EVERY_MS = 1000

/** This many checks in a row found work that should have been sent. */
const LOOKS_UNTIL_STUCK = 5

export interface StuckWatchOptions {
  readonly time: LaneTime
  /** True when a call should have been sent by now: nothing outside the lane delays it. */
  readonly isOverdue: () => boolean
  /** Called once when the lane gets stuck, and once when it sends again. */
  readonly onChange: (isStuck: boolean) => void
}

/**
 * Detects a lane that has work, a free place and a slot that is due, but sends nothing for five
 * seconds. It counts checks, not time: a blocked event loop runs fewer checks, so that a stall
 * alone does not count.
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

  /** Checks every second while there is work. */
  follow(hasWork: boolean): void {
    if (!hasWork) {
      this.#cancelLook?.()
      this.#cancelLook = undefined
      this.#looks = 0
    } else if (this.#cancelLook === undefined) {
      this.#cancelLook = this.#options.time.setTimer(LOOK_EVERY_MS, () => this.#look())
    }
  }

  /** The lane sent a call, or could send one if any were queued. */
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
