import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Time, Timer } from '../../src/time.ts'
import { eventually } from './eventually.ts'

/**
 * A time for `testApp({ time })` that passes when the test says so.
 *
 * - `await time.advance(10_000)` fires what is due in these 10 s, each at its moment.
 * - `await time.untilWaiting(10_000)` waits for the event "something now waits for 10 s".
 * - `await time.passUntil(check)` lets time pass for as long as it takes.
 * - What waits for 100 ms or less passes by itself, in real time, and moves both clocks: the lanes
 *   of a test app, its short pauses. So a call to the paper exchange needs no `advance`.
 * - Real time moves neither clock, so however slow the machine is, no limit passes by chance.
 */
export interface SetTime extends Time {
  /** Lets promises and sockets of this process have some turns between two timers. */
  advance(ms: number): Promise<void>
  /** An operator or NTP steps the wall clock; nothing fires. */
  stepWallClock(ms: number): void
  /** Resolves when this many timers or more wait that were set for `ms`. Fails after 60 s. */
  untilWaiting(ms: number, count?: number): Promise<void>
  /** For how long each waiting timer was set, shortest first. */
  waiting(): number[]
  /**
   * Lets time pass in steps until the check holds, and gives what it gives. It stops while
   * a timer waits that was set for `unlessMs`: the limit of a call that is on its way. A pause
   * (`sleep`) of the same length is no limit: a stop makes one of 30 s between two rounds.
   */
  passUntil<T>(check: () => T | Promise<T>, options?: PassOptions): Promise<T>
  /** Lets time pass in the same way until the promise has ended. */
  during<T>(end: Promise<T>, options?: PassOptions): Promise<T>
  /** Lets time fly until this has ended: for closing, when nothing depends on time any more. */
  fly<T>(end: Promise<T>): Promise<T>
}

interface PassOptions {
  readonly stepMs?: number
  readonly unlessMs?: number
}

export interface SetTimeOptions {
  /** The wall clock at the beginning; the real one when absent. */
  readonly nowMs?: number
  /** What waits for longer than this waits for `advance`. */
  readonly passesByItselfMs?: number
}

/** What only this many turns of the event loop need is done between two timers. */
const TURNS = 10
const PATIENCE_MS = 60_000
/**
 * On PostgreSQL the owner renews its lease by a query each second. Without a moment of real time
 * for it, the lease ends while time passes.
 */
const QUERY_MS = process.env.TEST_DATABASE === 'postgres' ? 10 : 0
/** UPSTREAM_TIMEOUT_SECONDS, unless a test sets it. */
export const UPSTREAM_LIMIT_MS = 30_000
const STEP_MS = 100

export function createSetTime({
  nowMs = Date.now(),
  passesByItselfMs = 100,
}: SetTimeOptions = {}): SetTime {
  const timers = new Timers(nowMs, passesByItselfMs)
  const time: SetTime = {
    now: () => Math.floor(timers.wallMs),
    monotonic: () => timers.monotonicMs,
    setTimeout: (fn, ms) => timers.set(fn, Math.max(0, ms), false),
    setInterval: (fn, ms) => timers.set(fn, Math.max(1, ms), true),
    sleep(ms, { signal } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = timers.set(resolve, ms, false, true)
      const onAbort = () => {
        timer.cancel()
        reject(signal?.reason)
      }
      if (signal?.aborted === true) onAbort()
      signal?.addEventListener('abort', onAbort, { once: true })
      return promise.finally(() => signal?.removeEventListener('abort', onAbort))
    },
    advance: (ms) => timers.advance(ms),
    stepWallClock(ms) {
      timers.wallMs += ms
    },
    untilWaiting: (ms, count = 1) => timers.untilWaiting(ms, count),
    waiting: () => timers.waiting(),
    passUntil: (check, { stepMs = STEP_MS, unlessMs = UPSTREAM_LIMIT_MS } = {}) =>
      eventually(async () => {
        await timers.step(stepMs, unlessMs)
        return check()
      }, 5),
    async during(end, { stepMs = STEP_MS, unlessMs = UPSTREAM_LIMIT_MS } = {}) {
      const isOver = watch(end)
      while (!isOver()) {
        await timers.step(stepMs, unlessMs)
        await sleep(5)
      }
      return end
    },
    async fly(end) {
      const isOver = watch(end)
      while (!isOver()) await timers.advance(STEP_MS)
      return end
    },
  }
  return time
}

/** @returns whether the promise has ended */
function watch(end: Promise<unknown>): () => boolean {
  let isOver = false
  const over = () => {
    isOver = true
  }
  end.then(over, over)
  return () => isOver
}

interface SetTimer extends Timer {
  readonly fn: () => void
  readonly ms: number
  readonly isInterval: boolean
  readonly isPause: boolean
  dueMs: number
  /** Fires it by itself. */
  real: NodeJS.Timeout | undefined
}

/** The clocks, and what waits by them. */
class Timers {
  monotonicMs = 0
  wallMs: number
  readonly #passesByItselfMs: number
  readonly #timers = new Set<SetTimer>()
  readonly #onSet = new Set<() => void>()

  constructor(wallMs: number, passesByItselfMs: number) {
    this.wallMs = wallMs
    this.#passesByItselfMs = passesByItselfMs
  }

  set(fn: () => void, ms: number, isInterval: boolean, isPause = false): SetTimer {
    const timer: SetTimer = {
      ...{ fn, ms, isInterval, isPause, dueMs: 0, real: undefined },
      cancel: () => this.remove(timer),
      unref: () => timer,
    }
    this.#add(timer)
    return timer
  }

  remove(timer: SetTimer): void {
    clearTimeout(timer.real)
    this.#timers.delete(timer)
  }

  waiting(): number[] {
    return [...this.#timers].map(({ ms }) => ms).sort((a, b) => a - b)
  }

  countOf(ms: number): number {
    return this.waiting().filter((each) => Math.round(each) === ms).length
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.monotonicMs + ms
    await settle()
    for (let next = this.#earliest(untilMs); next !== undefined; next = this.#earliest(untilMs)) {
      const isNextSecond = Math.floor(next.dueMs / 1000) > Math.floor(this.monotonicMs / 1000)
      this.#fire(next)
      await settle()
      if (QUERY_MS > 0 && isNextSecond) await sleep(QUERY_MS)
    }
    this.#moveTo(untilMs)
  }

  /** Advances, unless a timer waits that was set for `unlessMs`. */
  async step(ms: number, unlessMs: number): Promise<void> {
    const isLimit = (timer: SetTimer) => !timer.isPause && Math.round(timer.ms) === unlessMs
    if (![...this.#timers].some(isLimit)) await this.advance(ms)
  }

  async untilWaiting(ms: number, count: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = () => {
      if (this.countOf(ms) >= count) resolve()
    }
    const tooLate = () => reject(new Error(`${count} times ${ms} ms: ${this.waiting()} ms wait`))
    this.#onSet.add(look)
    look()
    const patience = setTimeout(tooLate, PATIENCE_MS)
    await promise.finally(() => {
      clearTimeout(patience)
      this.#onSet.delete(look)
    })
  }

  #add(timer: SetTimer): void {
    timer.dueMs = this.monotonicMs + timer.ms
    this.#timers.add(timer)
    if (timer.ms <= this.#passesByItselfMs)
      timer.real = setTimeout(() => this.#passTo(timer.dueMs), timer.ms)
    for (const look of this.#onSet) look()
  }

  #passTo(untilMs: number): void {
    for (let next = this.#earliest(untilMs); next !== undefined; next = this.#earliest(untilMs))
      this.#fire(next)
  }

  #fire(timer: SetTimer): void {
    this.#moveTo(timer.dueMs)
    this.remove(timer)
    if (timer.isInterval) this.#add(timer)
    timer.fn()
  }

  #moveTo(ms: number): void {
    const passedMs = Math.max(0, ms - this.monotonicMs)
    this.monotonicMs += passedMs
    this.wallMs += passedMs
  }

  #earliest(untilMs: number): SetTimer | undefined {
    let first: SetTimer | undefined
    for (const timer of this.#timers)
      if (timer.dueMs <= untilMs && (first === undefined || timer.dueMs < first.dueMs))
        first = timer
    return first
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn()
}
