import {
  ClientQueueShareExceededError,
  inSeconds,
  notSent,
  QueueFullError,
  QueueWaitTooLongError,
} from './errors.ts'
import { type Job, rankOf } from './job.ts'

/** The part of the queue beyond its length that is kept for what ends a flood. */
const urgentReserve = 0.1

/** The queue as a new job finds it. */
export interface AdmissionFacts {
  readonly name: string
  readonly maxQueueLength: number
  readonly clientShare: number
  readonly queued: number
  readonly queuedByClient: number
  /** Clients that have something queued. */
  readonly clients: number
  readonly spacingMs: number
  readonly expectedWaitMs: number
  /** How long this job may wait. */
  readonly limitMs: number
}

/**
 * Why a new job may not join the queue; undefined when it may. A cancel or a lookup may go a tenth beyond the bounds:
 * a client whose orders fill its share has to be able to take them back.
 */
export function queueRefusal(job: Job<unknown>, facts: AdmissionFacts): Error | undefined {
  const { name, spacingMs, expectedWaitMs, limitMs } = facts
  const reserve = rankOf(job.jobClass) <= rankOf('lookup') ? 1 + urgentReserve : 1
  const lengthMax = Math.floor(facts.maxQueueLength * reserve)
  const shareMax = Math.max(1, Math.floor(facts.maxQueueLength * facts.clientShare * reserve))
  if (facts.queuedByClient >= shareMax) {
    // One of this client's own jobs has gone after about one round of turns.
    const roundMs = spacingMs * Math.max(1, facts.clients)
    return notSent(new ClientQueueShareExceededError(facts.queuedByClient, name), roundMs)
  }
  if (facts.queued >= lengthMax) return notSent(new QueueFullError(name, facts.queued), spacingMs)
  if (expectedWaitMs <= limitMs) return undefined
  const error = new QueueWaitTooLongError(name, inSeconds(expectedWaitMs), inSeconds(limitMs))
  return notSent(error, expectedWaitMs - limitMs)
}
