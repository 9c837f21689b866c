import type { Context } from '@opentelemetry/api'
import type { Permission } from 'schema'
import type { Ticket } from '../orders/ticket.ts'

/** What a request spent on its way; its log row and the timing headers are made of it. */
export interface Trip {
  /** Milliseconds in the queue, all its calls together; null when it was never queued. */
  queueMs: number | null
  /** Milliseconds until the exchange answered, all its calls together; null when nothing was sent. */
  upstreamMs: number | null
  /** Whether a call of another request answered it. */
  shared: boolean
}

/** A client's request, as far as the relay needs to know it. */
export interface Errand {
  readonly requestId: string
  readonly method: string
  readonly endpoint: string
  readonly clientRef: number
  readonly clientId: string
  readonly signal?: AbortSignal
  /**
   * How long it may wait in the queue, all its calls together; the gateway's own bound unless told. Infinity is for
   * what has to be done whatever the request waited: then the bound is for each call.
   */
  readonly maxWaitMs?: number
  /** What the client must still be allowed to do when the slot comes; absent: to be active is enough. */
  readonly permission?: Permission
  /** An administrator's own call with a client's keys, such as a key test: goes for an inactive client too. */
  readonly byAdmin?: boolean
  /** The request's span, the parent of those of its calls; absent: nobody traces. */
  readonly trace?: Context
  readonly trip: Trip
}

/** A request that trades: its place in the journal comes with it. */
export interface TradeErrand extends Errand {
  readonly ticket: Ticket
}
