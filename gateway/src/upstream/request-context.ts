import type { Context } from '@opentelemetry/api'
import type { Permission } from 'schema'

/**
 * The request behind a call to an exchange: a client's request, or that of an administrator who
 * uses a client's keys.
 */
export interface RequestContext {
  readonly requestId: string
  readonly method: string
  readonly endpoint: string
  readonly clientRef: number
  readonly clientId: string
  /** Aborts when the caller hangs up. */
  readonly signal?: AbortSignal
  /**
   * How long all calls of the request may wait in the queue, together; absent: the gateway's limit.
   * Infinity is for calls that must be made however long the request has waited: then the gateway's
   * limit applies to each call.
   */
  readonly maxWaitMs?: number
  /** How old a response its caller accepts; 0: a new one. Absent: the caller does not say. */
  readonly maxAgeMs?: number
  /** Its reads neither take a kept response, nor is theirs kept. */
  readonly noStore?: boolean
  /**
   * The permission that the client must still have when the slot comes; absent: the client only has
   * to be active.
   */
  readonly permission?: Permission
  /**
   * An administrator's call with a client's keys, such as a key test. It is made even for an
   * inactive client.
   */
  readonly byAdmin?: boolean
  /**
   * It ends orders for a stop, or says what became of them: while a stop cancels orders, it is made
   * although the exchange is stopped.
   */
  readonly endsOrders?: boolean
  /** The request's span, the parent of its calls' spans; absent: tracing is off. */
  readonly trace?: Context
  /**
   * When it began (`performance.now()`): clients and keys that were read since then are new enough
   * for it. Absent: each use reads them again.
   */
  readonly readSinceMs?: number
  readonly timings: Timings
}

/** Where the time of a request went. The log row and the timing headers contain it. */
export interface Timings {
  /** Milliseconds in the queue, for all calls together; null when nothing was queued. */
  queueMs: number | null
  /**
   * Milliseconds until the exchange responded, for all calls together; null when nothing was sent.
   */
  upstreamMs: number | null
  /** Whether the response came from another request's call. */
  shared: boolean
  /** The age of the oldest kept response that was used; null when there is none. */
  ageMs: number | null
  /** What else the log says of the request; null when there is nothing. */
  note: string | null
}

export function createTimings(): Timings {
  return { queueMs: null, upstreamMs: null, shared: false, ageMs: null, note: null }
}

export function addQueueMs(timings: Timings, ms: number): void {
  timings.queueMs = (timings.queueMs ?? 0) + Math.round(ms)
}

export function addUpstreamMs(timings: Timings, ms: number): void {
  timings.upstreamMs = (timings.upstreamMs ?? 0) + Math.round(ms)
}
