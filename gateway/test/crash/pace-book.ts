import type { ReceivedRequest } from '../../paper-exchange/src/received.ts'

const WINDOW_MS = 1_000
const LOOK_EVERY_MS = 2
/** A process that did nothing for longer cannot say when a request came. */
const STALL_MS = 30
/** What came in a stall is noted this much after it at the latest. */
const NOTED_WITHIN_MS = 200

interface Stall {
  readonly fromMs: number
  readonly toMs: number
}

export interface PaceBook {
  /** Windows of 1,000 ms in which this process could tell when requests came. */
  readonly judged: number
  /** All of them. */
  readonly windows: number
  /** One sentence for each window in which an exchange got more than its rate. */
  readonly violations: readonly string[]
}

/** Notes when this process, in which the exchange runs, did nothing for a while. */
export function watchStalls() {
  const stalls: Stall[] = []
  let lastMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    if (nowMs - lastMs > STALL_MS) stalls.push({ fromMs: lastMs, toMs: nowMs })
    lastMs = nowMs
  }, LOOK_EVERY_MS)
  return {
    /** Whether requests of this time may have come earlier than they were noted. */
    isBlurred: (fromMs: number, toMs: number) =>
      stalls.some((stall) => stall.toMs > fromMs - NOTED_WITHIN_MS && stall.fromMs < toMs),
    stop: () => clearInterval(timer),
  }
}
export type Stalls = Pick<ReturnType<typeof watchStalls>, 'isBlurred'>

/** Looks at every window that begins with a request. */
export function checkPace(
  received: readonly ReceivedRequest[],
  ratePerSecond: number,
  { isBlurred }: Stalls,
): PaceBook {
  const windows = (['mx', 'bg'] as const).flatMap((exchange) => {
    const arrivals = received.filter((request) => request.exchange === exchange)
    return arrivals.slice(ratePerSecond).flatMap((last, at) => {
      const first = arrivals[at]
      return first === undefined ? [] : [{ exchange, first, last }]
    })
  })
  const judged = windows.filter(
    ({ first, last }) => !isBlurred(first.arrivedAtMonotonicMs, last.arrivedAtMonotonicMs),
  )
  const spanOf = ({ first, last }: (typeof windows)[number]) =>
    last.arrivedAtMonotonicMs - first.arrivedAtMonotonicMs
  // A timer may be late by as much as it looks.
  const tooShort = judged.filter((window) => spanOf(window) < WINDOW_MS - STALL_MS)
  return {
    ...{ judged: judged.length, windows: windows.length },
    violations: tooShort.map((window) => {
      const { exchange, first, last } = window
      return `${exchange} got ${ratePerSecond + 1} requests in ${spanOf(window).toFixed(1)} ms: ${first.seq} ${first.method} ${first.path} to ${last.seq} ${last.method} ${last.path}`
    }),
  }
}
