import type { Health } from './health.ts'
import type { Dispatch, LaneEvent, LaneOptions, LaneSnapshot } from './lane-types.ts'
import { toError } from './to-error.ts'

export interface LaneReports {
  readonly event: (event: LaneEvent) => void
  readonly dispatch: (dispatch: Dispatch) => void
  /** When the states that were reported began. */
  readonly times: StateTimes
}

/**
 * Passes on what the lane reports. Dispatches are reported between the bytes of one call and the
 * start of the next: a listener that throws must not stop that, so its error is only noted.
 */
export function createLaneReports<A>(
  { name, time, onEvent, onDispatch }: LaneOptions<A>,
  health: () => Health,
): LaneReports {
  const times = new StateTimes()
  const note = (error: unknown) => health().note(toError(error).message, time.monotonicMs())

  function event(reported: LaneEvent): void {
    if (reported.type === 'fault') note(reported.error)
    times.learn(reported, time.monotonicMs())
    try {
      onEvent?.(reported)
    } catch (error) {
      note(error)
    }
  }

  return {
    event,
    times,
    dispatch(dispatch) {
      try {
        onDispatch?.(dispatch)
      } catch (error) {
        event({ type: 'fault', lane: name, error })
      }
    },
  }
}

/** When the states of a lane began, as far as its events say it. */
class StateTimes {
  #pausedMs: number | undefined
  #brokenMs: number | undefined
  #stoppedMs: number | undefined
  #stuckMs: number | undefined
  /** When the last of these states ended; a pause ends by itself. */
  #endedMs: number | undefined

  learn({ type }: LaneEvent, nowMs: number): void {
    if (type === 'paused') this.#pausedMs = nowMs
    // Each probe that fails reports it again.
    if (type === 'broken') this.#brokenMs ??= nowMs
    if (type === 'stopped') this.#stoppedMs ??= nowMs
    if (type === 'stuck') this.#stuckMs = nowMs
    if (type === 'mended') this.#brokenMs = undefined
    if (type === 'resumed') this.#stoppedMs = undefined
    if (type === 'mended' || type === 'resumed' || type === 'unstuck') this.#endedMs = nowMs
  }

  /**
   * For how long this has been the state; null when no event began it.
   * @param pausedUntilMs when the last pause ends or ended
   */
  forMs(state: LaneSnapshot['state'], pausedUntilMs: number, nowMs: number): number | null {
    const sinceMs = this.#sinceMs(state, pausedUntilMs)
    return sinceMs === undefined ? null : Math.round(nowMs - sinceMs)
  }

  #sinceMs(state: LaneSnapshot['state'], pausedUntilMs: number): number | undefined {
    if (state === 'paused') return this.#pausedMs
    if (state === 'broken' || state === 'probing') return this.#brokenMs
    if (state === 'stopped') return this.#stoppedMs
    if (state === 'stuck') return this.#stuckMs
    if (state === 'closing') return undefined
    if (this.#pausedMs === undefined) return this.#endedMs
    return Math.max(pausedUntilMs, this.#endedMs ?? pausedUntilMs)
  }
}
