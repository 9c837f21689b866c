import Bottleneck from 'bottleneck'
import type { LaneTime } from './lane-time.ts'

/** Called once, when the answer of the call is there; the next call may then go. */
export type Release = () => void

/** The gate in front of the exchange: how many calls may be out at the same time. */
export interface Pace {
  /** Resolves when one more call may be out. One grant is asked for at a time. */
  grant(): Promise<Release>
}

// Bottleneck grants a free place within about 5 ms. Twenty times that is no accident, and still short of a slot.
const stuckMs = 100

interface Waiting {
  readonly resolve: (release: Release) => void
  readonly reject: (error: unknown) => void
}

/**
 * Bottleneck as a gate of `concurrency` places. It gets no `minTime`: SlotClock spaces the calls, on the monotonic
 * clock and from the actual dispatch, which Bottleneck (wall clock, planned slots) does not.
 *
 * Even without `minTime` Bottleneck 2.19.5 plans each job no earlier than the one before on the wall clock
 * (`_nextRequest` in its LocalDatastore), so a clock set back by an hour would stall the gate for an hour. A gate
 * that holds a grant back although a place is free is therefore replaced by a new one, which starts with the calls
 * that are out.
 */
export function createPace({ concurrency, time }: { concurrency: number; time: LaneTime }): Pace {
  const out = new Set<Promise<void>>()
  let limiter = new Bottleneck({ maxConcurrent: concurrency })
  let waiting: Waiting | undefined
  let stopWatching = () => {}

  const grantIn = (asked: Bottleneck) => async () => {
    if (asked !== limiter || waiting === undefined) return
    const { resolve } = waiting
    const { promise: answered, resolve: onAnswered } = Promise.withResolvers<void>()
    waiting = undefined
    stopWatching()
    out.add(answered)
    resolve(() => {
      out.delete(answered)
      onAnswered()
      watch()
    })
    await answered
  }

  function ask(): void {
    const asked = limiter
    asked.schedule(grantIn(asked)).catch((error) => {
      // A replaced gate drops its jobs; the new one was asked instead.
      if (asked === limiter) waiting?.reject(error)
    })
    watch()
  }

  function watch(): void {
    stopWatching()
    if (waiting === undefined || out.size >= concurrency) return
    stopWatching = time.setTimer(stuckMs, replace)
  }

  function replace(): void {
    const stuck = limiter
    limiter = new Bottleneck({ maxConcurrent: concurrency })
    const moved = [...out].map((answered) => limiter.schedule(() => answered))
    Promise.all([stuck.stop({ dropWaitingJobs: true }), ...moved]).catch((error) => {
      waiting?.reject(error)
    })
    ask()
  }

  return {
    grant() {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        ask()
      })
    },
  }
}
