import type { Health } from './health.ts'
import type { Dispatch, LaneEvent, LaneOptions } from './lane-types.ts'
import { StateTimes } from './state-times.ts'
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
