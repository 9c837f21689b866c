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
  /** What else the log says of the request; null when there is nothing. */
  note: string | null
}

export function createTimings(): Timings {
  return { queueMs: null, upstreamMs: null, shared: false, note: null }
}

export function addQueueMs(timings: Timings, ms: number): void {
  timings.queueMs = (timings.queueMs ?? 0) + Math.round(ms)
}

export function addUpstreamMs(timings: Timings, ms: number): void {
  timings.upstreamMs = (timings.upstreamMs ?? 0) + Math.round(ms)
}
