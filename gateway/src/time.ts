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

interface SleepOptions {
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

const FIRST_AFTER_MS = 60_000
const EVERY_MS = 3_600_000

export interface RunRegularlyOptions {
  readonly onError: (error: unknown) => void
  readonly time: Pick<Time, 'setTimeout'>
  /** A minute by default. */
  readonly firstAfterMs?: number | undefined
  /** From the end of a run to the next one; an hour by default. */
  readonly everyMs?: number | undefined
}

/**
 * Runs a task again and again, never twice at a time. It does not keep the process alive.
 * @param run gets a signal that is aborted at the stop
 * @returns a function that stops it
 */
export function runRegularly(
  run: (signal: AbortSignal) => Promise<void>,
  { onError, time, firstAfterMs = FIRST_AFTER_MS, everyMs = EVERY_MS }: RunRegularlyOptions,
): () => void {
  const stop = new AbortController()
  let timer = time.setTimeout(tick, firstAfterMs).unref()
  function tick(): void {
    run(stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error)
      })
      .finally(() => {
        if (!stop.signal.aborted) timer = time.setTimeout(tick, everyMs).unref()
      })
  }
  return () => {
    stop.abort()
    timer.cancel()
  }
}

const STEP_MS = 5_000
const STEPS = 12

/** Counts of the last minute, in steps of 5 s: the oldest step leaves at once. */
export class MinuteRing {
  readonly #counts = new Uint32Array(STEPS)
  #step = 0

  add(nowMs: number, count = 1): void {
    this.#advance(nowMs)
    const index = this.#step % STEPS
    this.#counts[index] = (this.#counts[index] ?? 0) + count
  }

  total(nowMs: number): number {
    this.#advance(nowMs)
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** A clock that is set back counts in the step that is already there. */
  #advance(nowMs: number): void {
    const step = Math.floor(nowMs / STEP_MS)
    if (step <= this.#step) return
    if (step - this.#step >= STEPS) this.#counts.fill(0)
    else for (let each = this.#step + 1; each <= step; each += 1) this.#counts[each % STEPS] = 0
    this.#step = step
  }
}
