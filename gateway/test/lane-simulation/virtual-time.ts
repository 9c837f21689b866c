import type { LaneTime } from '../../src/lane/lane-time.ts'
import type { Pace } from '../../src/lane/pace.ts'

/** A clock for tests that moves only when the test moves it. */
export interface VirtualTime extends LaneTime {
  /**
   * Lets `ms` pass: every timer due by then rings at its own moment, and what follows from it runs
   * first.
   */
  advance(ms: number): Promise<void>
  /**
   * Lets `ms` pass as for an event loop that is held up: what is due by then rings once, at the
   * end.
   */
  jump(ms: number): Promise<void>
  /** Lets everything run that needs no time. */
  settle(): Promise<void>
  /** Timers that wait. */
  readonly pending: number
}

interface Timer {
  readonly atMs: number
  readonly fn: () => void
}

export function createVirtualTime(): VirtualTime {
  const timers = new Set<Timer>()
  let nowMs = 0

  const afterTurn: (() => void)[] = []

  async function settle(): Promise<void> {
    do await new Promise<void>((resolve) => setImmediate(resolve))
    while (runAfterTurn())
  }

  /** @returns whether there was something to run */
  function runAfterTurn(): boolean {
    const due = afterTurn.splice(0)
    for (const fn of due) fn()
    return due.length > 0
  }

  function earliest(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers) if (first === undefined || timer.atMs < first.atMs) first = timer
    return first
  }

  return {
    monotonicMs: () => nowMs,
    setTimer(ms, fn) {
      const timer = { atMs: nowMs + Math.max(0, ms), fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    afterTurn: (fn) => void afterTurn.push(fn),
    settle,
    async jump(ms) {
      nowMs += ms
      for (const timer of [...timers].filter(({ atMs }) => atMs <= nowMs)) {
        timers.delete(timer)
        timer.fn()
      }
      await settle()
    },
    get pending() {
      return timers.size
    },
    async advance(ms) {
      const untilMs = nowMs + ms
      await settle()
      for (let next = earliest(); next !== undefined && next.atMs <= untilMs; next = earliest()) {
        timers.delete(next)
        nowMs = next.atMs
        next.fn()
        await settle()
      }
      nowMs = untilMs
    },
  }
}

/** A gate of `concurrency` places without Bottleneck's timers, for a set clock. */
export function createVirtualPace(concurrency: number): Pace {
  let free = concurrency
  return {
    get isOpen() {
      return free > 0
    },
    take() {
      free -= 1
      return () => {
        free += 1
      }
    },
    onGrant() {},
  }
}

/** A gate without places, as if a fault kept it shut, until `open` gives it one. */
export function createShutPace() {
  const places = createVirtualPace(1)
  const listeners: (() => void)[] = []
  let isShut = true
  const pace: Pace = {
    get isOpen() {
      return !isShut && places.isOpen
    },
    take: () => places.take(),
    onGrant: (listener) => void listeners.push(listener),
  }
  const open = () => {
    isShut = false
    for (const listener of listeners) listener()
  }
  return { pace, open }
}
