import type { ExchangeCode, ExchangeNow, NextSlot, Stop } from 'schema'
import { toPublicState } from '../../lane/lane-snapshot.ts'
import type { LaneSnapshot, QueueEntry } from '../../lane/lane-types.ts'
import { toTime, toTimeOrNull } from './times.ts'

/** What an exchange's state is made of. */
export interface ExchangeFacts {
  readonly exchange: ExchangeCode
  readonly isPaper: boolean
  readonly snapshot: LaneSnapshot
  /** The next requests, in the order in which they are sent. */
  readonly next: readonly QueueEntry[]
  readonly sentLastMinute: number
  readonly clockOffsetMs: number | null
  readonly stop: Stop | null
  readonly nowMs: number
}

export function toExchangeNow(facts: ExchangeFacts): ExchangeNow {
  const { exchange, snapshot, stop, nowMs } = facts
  const { lastError, resumesInMs } = snapshot
  return {
    exchange,
    environment: facts.isPaper ? 'paper' : 'real',
    state: toPublicState(snapshot.state),
    reason: snapshot.reason,
    since: sinceOf(facts),
    nextTryAt: toTimeOrNull(resumesInMs === null ? null : nowMs + resumesInMs),
    lastError:
      lastError === null
        ? null
        : { at: toTime(nowMs - lastError.agoMs), message: lastError.message },
    rateLimit: snapshot.currentRatePerSecond,
    fullRateLimit: snapshot.ratePerSecond,
    sentLastMinute: facts.sentLastMinute,
    queueSize: snapshot.queued,
    queueByClass: { ...snapshot.queuedByClass },
    inFlight: snapshot.inFlight,
    longestWaitMs: snapshot.longestWaitMs,
    estimatedWaitMs: snapshot.estimatedWaitMs,
    busiestWaitMs: snapshot.busiestWaitMs,
    clockOffsetMs: facts.clockOffsetMs,
    stop,
    accounts: snapshot.accountsHeld.map(({ clientId, state, retryInMs }) => ({
      ...{ clientId, state },
      nextTryAt: toTimeOrNull(retryInMs === 0 ? null : nowMs + retryInMs),
    })),
    nextSlots: facts.next.map(toNextSlot),
  }
}

/** The stop that is in force for an exchange; otherwise the last one. */
export function stopInForce(own: Stop | null, ofAll: Stop | null): Stop | null {
  if (own === null || ofAll === null) return own ?? ofAll
  if ((own.resumedAt === null) !== (ofAll.resumedAt === null))
    return own.resumedAt === null ? own : ofAll
  return own.startedAt >= ofAll.startedAt ? own : ofAll
}

/** A stop may have begun before the gateway started. */
function sinceOf({ snapshot, stop, nowMs }: ExchangeFacts): string | null {
  if (snapshot.state === 'stopped' && stop?.resumedAt === null) return stop.startedAt
  return toTimeOrNull(snapshot.stateForMs === null ? null : nowMs - snapshot.stateForMs)
}

function toNextSlot(entry: QueueEntry): NextSlot {
  return {
    inMs: entry.expectedWaitMs,
    id: entry.id,
    clientId: entry.clientId,
    requestClass: entry.jobClass,
    method: entry.method,
    endpoint: entry.endpoint,
  }
}
