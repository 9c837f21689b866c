import { toError } from './errors.ts'
import type { Health } from './health.ts'
import type { Dispatch, LaneEvent, LaneOptions, LaneSnapshot, QueueEntry } from './lane-types.ts'
import type { Entry, WaitingRoom } from './waiting-room.ts'

type QueueCounts = Pick<
  LaneSnapshot,
  'queued' | 'queuedByClass' | 'queuedByClient' | 'longestWaitMs'
>

/** The queue in numbers. */
export function toQueueCounts<A>({ queue, entries }: WaitingRoom<A>, nowMs: number): QueueCounts {
  const [cancel = 0, lookup = 0, order = 0, account = 0, market = 0] = queue.sizes
  const queuedByClient = [...queue.sizeByClient]
    .map(([clientId, queued]) => ({ clientId, queued }))
    .sort((a, b) => b.queued - a.queued)
  let longestWaitMs = 0
  for (const { arrivedMs } of entries) longestWaitMs = Math.max(longestWaitMs, nowMs - arrivedMs)
  return {
    queued: queue.size,
    queuedByClass: { cancel, lookup, order, account, market },
    queuedByClient,
    longestWaitMs: Math.round(longestWaitMs),
  }
}

export function toQueueEntry<A>(
  entry: Entry<A>,
  nowMs: number,
  expectedWaitMs: number,
): QueueEntry {
  const { job, seq, clientId, arrivedMs, deadlineMs, attempts } = entry
  return {
    id: String(seq),
    clientId,
    jobClass: job.jobClass,
    requestId: job.label.requestId,
    method: job.label.method,
    endpoint: job.label.endpoint,
    order: job.label.order,
    waitedMs: Math.round(nowMs - arrivedMs),
    expectedWaitMs,
    remainingMs: Math.max(0, Math.round(deadlineMs - nowMs)),
    attempts,
  }
}

/** What the state is read from. */
export interface LaneStateFacts {
  readonly name: string
  readonly isClosing: boolean
  readonly stoppedBy: string | undefined
  readonly health: Health
  readonly isStuck: boolean
  readonly nowMs: number
}

/** Whether the lane runs; of several reasons why not, the one that lasts longest. */
export function toLaneState({
  name,
  isClosing,
  stoppedBy,
  health,
  isStuck,
  nowMs,
}: LaneStateFacts): Pick<LaneSnapshot, 'state' | 'reason' | 'resumesInMs'> {
  if (isClosing) {
    return { state: 'closing', reason: 'The gateway is shutting down', resumesInMs: null }
  }
  if (stoppedBy !== undefined) return { state: 'stopped', reason: stoppedBy, resumesInMs: null }
  const reason = health.lastError?.message ?? `${name} asked for a pause`
  const breakerState = health.breakerState(nowMs)
  if (breakerState === 'open') {
    return { state: 'broken', reason, resumesInMs: Math.round(health.coolDownMs(nowMs)) }
  }
  if (breakerState === 'probing') return { state: 'probing', reason, resumesInMs: null }
  const pausedMs = health.pausedUntilMs - nowMs
  if (pausedMs > 0) return { state: 'paused', reason, resumesInMs: Math.round(pausedMs) }
  if (isStuck) {
    const stuck = `Requests wait, ${name} could take one, and none is sent: restart the gateway`
    return { state: 'stuck', reason: stuck, resumesInMs: null }
  }
  return { state: 'running', reason: null, resumesInMs: null }
}

export function toLastError({ lastError }: Health, nowMs: number): LaneSnapshot['lastError'] {
  if (lastError === undefined) return null
  return { message: lastError.message, agoMs: Math.round(nowMs - lastError.atMs) }
}

/**
 * The state as the API and the console show it: a probe is part of being broken, closing of being
 * stopped.
 */
export function toPublicState(state: LaneSnapshot['state']) {
  if (state === 'probing' || state === 'stuck') return 'broken'
  return state === 'closing' ? 'stopped' : state
}

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
