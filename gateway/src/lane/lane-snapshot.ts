import type { Health } from './health.ts'
import type { LaneSnapshot, QueueEntry } from './lane-types.ts'
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
