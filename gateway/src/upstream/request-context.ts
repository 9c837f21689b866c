import type { Context } from '@opentelemetry/api'
import type { Permission } from 'schema'
import type { Timings } from './timings.ts'

/** On whose behalf a call goes to an exchange: a client's request, or an administrator's with a client's keys. */
export interface RequestContext {
  readonly requestId: string
  readonly method: string
  readonly endpoint: string
  readonly clientRef: number
  readonly clientId: string
  /** Aborts when the caller hangs up. */
  readonly signal?: AbortSignal
  /**
   * How long the request may wait in the queue, all its calls together; absent: the gateway's own bound. Infinity is
   * for calls that must be made however long the request has waited: then the bound holds for each call.
   */
  readonly maxWaitMs?: number
  /** What the client must still be allowed to do when the slot comes; absent: to be active is enough. */
  readonly permission?: Permission
  /** An administrator's call with a client's keys, such as a key test: made for an inactive client too. */
  readonly byAdmin?: boolean
  /** The request's span, the parent of its calls' spans; absent: nothing is traced. */
  readonly trace?: Context
  readonly timings: Timings
}
