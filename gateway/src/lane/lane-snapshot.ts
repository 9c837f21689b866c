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
    waitedMs: Math.round(nowMs - arrivedMs),
    expectedWaitMs,
    remainingMs: Math.max(0, Math.round(deadlineMs - nowMs)),
    attempts,
  }
}

/** What the standing is read from. */
export interface StandingFacts {
  readonly name: string
  readonly isClosing: boolean
  readonly stoppedBy: string | undefined
  readonly breakerState: 'closed' | 'open' | 'probing'
  readonly coolDownMs: number
  readonly pausedMs: number
  readonly isStuck: boolean
  readonly lastError: string | undefined
}

/** Whether the lane runs; of several reasons why not, the one that lasts longest. */
export function toStanding(
  facts: StandingFacts,
): Pick<LaneSnapshot, 'state' | 'reason' | 'resumesInMs'> {
  const { name, lastError, stoppedBy } = facts
  if (facts.isClosing) {
    return { state: 'closing', reason: 'The gateway is shutting down', resumesInMs: null }
  }
  if (stoppedBy !== undefined) return { state: 'stopped', reason: stoppedBy, resumesInMs: null }
  const reason = lastError ?? `${name} asked for a pause`
  if (facts.breakerState === 'open') {
    return { state: 'broken', reason, resumesInMs: Math.round(facts.coolDownMs) }
  }
  if (facts.breakerState === 'probing') return { state: 'probing', reason, resumesInMs: null }
  if (facts.pausedMs > 0) {
    return { state: 'paused', reason, resumesInMs: Math.round(facts.pausedMs) }
  }
  if (facts.isStuck) {
    const stuck = `Requests wait, ${name} could take one, and none is sent: restart the gateway`
    return { state: 'stuck', reason: stuck, resumesInMs: null }
  }
  return { state: 'running', reason: null, resumesInMs: null }
}

/** The state as the API and the console show it: a probe is part of being broken, closing of being stopped. */
export function toPublicState(state: LaneSnapshot['state']) {
  if (state === 'probing' || state === 'stuck') return 'broken'
  return state === 'closing' ? 'stopped' : state
}
