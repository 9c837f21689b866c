import { setTimeout as sleep } from 'node:timers/promises'

/** The gateway's only notion of time: two clocks and what waits by them. Tests set it. */
export interface Time {
  /** The wall clock, whole Unix ms. An operator or NTP may step it. */
  now(): number
  /** Milliseconds with fractions since some fixed moment; never goes back. */
  monotonic(): number
  /** Calls `fn` once. */
  setTimeout(fn: () => void, ms: number): Timer
  /** Calls `fn` again and again. */
  setInterval(fn: () => void, ms: number): Timer
  /**
   * Rejects when the signal aborts.
   * @param options `ref: false`: it does not keep the process alive
   */
  sleep(ms: number, options?: SleepOptions): Promise<void>
}

/** A timeout or an interval. */
export interface Timer {
  cancel(): void
  /** From now on it does not keep the process alive. */
  unref(): Timer
}

export interface SleepOptions {
  readonly signal?: AbortSignal
  readonly ref?: boolean
}

class SystemTimer implements Timer {
  readonly #timer: NodeJS.Timeout

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }

  unref(): this {
    this.#timer.unref()
    return this
  }
}

/** The time of this machine. */
export const systemTime: Time = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (fn, ms) => new SystemTimer(setTimeout(fn, ms)),
  setInterval: (fn, ms) => new SystemTimer(setInterval(fn, ms)),
  sleep: (ms, options) => sleep(ms, undefined, options),
}
