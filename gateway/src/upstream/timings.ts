/** Where a request's time went; its log row and the timing headers are made of it. */
export interface Timings {
  /** Milliseconds in the queue, all its calls together; null when it was never queued. */
  queueMs: number | null
  /** Milliseconds until the exchange responded, all its calls together; null when nothing was sent. */
  upstreamMs: number | null
  /** Whether a call of another request brought its response. */
  shared: boolean
}

export function createTimings(): Timings {
  return { queueMs: null, upstreamMs: null, shared: false }
}

export function addQueueMs(timings: Timings, ms: number): void {
  timings.queueMs = (timings.queueMs ?? 0) + Math.round(ms)
}

export function addUpstreamMs(timings: Timings, ms: number): void {
  timings.upstreamMs = (timings.upstreamMs ?? 0) + Math.round(ms)
}
