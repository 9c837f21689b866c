import type { ReceivedRequest } from '../../paper-exchange/src/received.ts'

const WINDOW_MS = 1_000
const LOOK_EVERY_MS = 2
/** A timer may be late by so much on any machine. */
const STALL_MIN_MS = 4

interface Stall {
  readonly fromMs: number
  readonly toMs: number
}

/** Notes when this process, in which the exchange runs, did nothing for a while. */
export function watchStalls() {
  const stalls: Stall[] = []
  let lastMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    if (nowMs - lastMs > LOOK_EVERY_MS + STALL_MIN_MS) stalls.push({ fromMs: lastMs, toMs: nowMs })
    lastMs = nowMs
  }, LOOK_EVERY_MS)
  return {
    /** The earliest moment at which what was noted now can have come. */
    cameMs(notedMs: number): number {
      const stall = stalls.findLast(({ fromMs }) => fromMs <= notedMs)
      const isWithin = stall !== undefined && notedMs <= stall.toMs + STALL_MIN_MS
      return isWithin ? stall.fromMs : notedMs - LOOK_EVERY_MS - STALL_MIN_MS
    },
    stop: () => clearInterval(timer),
  }
}
export type Stalls = Pick<ReturnType<typeof watchStalls>, 'cameMs'>

/** One sentence for each window in which an exchange got more than its rate. */
export function checkPace(
  received: readonly ReceivedRequest[],
  ratePerSecond: number,
  { cameMs }: Stalls,
): string[] {
  return (['mx', 'bg'] as const).flatMap((exchange) => {
    const arrivals = received.filter((request) => request.exchange === exchange)
    return arrivals.slice(ratePerSecond).flatMap((last, at) => {
      const first = arrivals[at]
      if (first === undefined) return []
      const spanMs = last.arrivedAtMonotonicMs - cameMs(first.arrivedAtMonotonicMs)
      return spanMs >= WINDOW_MS
        ? []
        : [
            `${exchange} got ${ratePerSecond + 1} requests in ${spanMs.toFixed(1)} ms: ${first.seq} ${first.method} ${first.path} to ${last.seq} ${last.method} ${last.path}`,
          ]
    })
  })
}
