import type { Context } from '@opentelemetry/api'
import type { Permission } from 'schema'
import type { Timings } from './timings.ts'

/**
 * The request behind a call to an exchange: a client's own, or an administrator's with a client's
 * keys.
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
   * Since when it runs (`performance.now()`): what was read since then of clients and keys serves
   * it. Absent: they are read anew each time.
   */
  readonly readSinceMs?: number
  readonly timings: Timings
}
