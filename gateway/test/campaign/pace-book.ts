import type { ReceivedRequest } from '../../paper-exchange/src/received.ts'

const WINDOW_MS = 1_000
const LOOK_EVERY_MS = 1
/** A new connection is accepted in one turn of the event loop, and read in the next one. */
const TURNS_OF_ONE_HOP = 2

export interface PaceBook {
  /** Windows of which it is known whether they were too short. */
  readonly judged: number
  /** All of them. */
  readonly windows: number
  /** One sentence for each window in which an exchange got more than its rate. */
  readonly violations: readonly string[]
}

/** Knows how much earlier than it was noted a request may have reached this process. */
export interface LooksAtSockets {
  /** The latest time at which the request of this time had surely not arrived. */
  before(notedAtMs: number): number
}

/**
 * Notes the turns of the event loop of this process, in which the exchange runs. In each turn it
 * looks at its sockets, so that what it notes late arrived after the turn before.
 * @param hops how many servers of this process a request goes through: proxies, and the exchange
 */
export function watchSockets(hops = 1): LooksAtSockets & { stop(): void } {
  // Between two hops a connection is opened, which takes a turn as well.
  const turns = hops * TURNS_OF_ONE_HOP + (hops - 1)
  const turnsMs: number[] = [performance.now()]
  const timer = setInterval(() => turnsMs.push(performance.now()), LOOK_EVERY_MS)
  return {
    before: (notedAtMs) => turnsMs[countUntil(turnsMs, notedAtMs) - 1 - turns] ?? 0,
    stop: () => clearInterval(timer),
  }
}

/** How many of the sorted times are not after `timeMs`. */
function countUntil(timesMs: readonly number[], timeMs: number): number {
  let [from, to] = [0, timesMs.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((timesMs[middle] ?? 0) <= timeMs) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * Looks at every window that begins with a request. Its first request may have arrived earlier than
 * it was noted; a window that is too short even then is a violation, and one that is too short only
 * as it was noted is not judged.
 */
export function checkPace(
  received: readonly ReceivedRequest[],
  ratePerSecond: number,
  looks: LooksAtSockets,
): PaceBook {
  const windows = (['mx', 'bg'] as const).flatMap((exchange) => {
    const arrivals = received.filter((request) => request.exchange === exchange)
    return arrivals.slice(ratePerSecond).flatMap((last, at) => {
      const first = arrivals[at]
      if (first === undefined) return []
      const firstMs = first.arrivedAtMonotonicMs
      const spanMs = last.arrivedAtMonotonicMs - firstMs
      const longestMs = last.arrivedAtMonotonicMs - looks.before(firstMs)
      return [{ exchange, first, last, spanMs, longestMs }]
    })
  })
  const tooShort = windows.filter(({ longestMs }) => longestMs < WINDOW_MS)
  const unclear = windows.filter(
    ({ spanMs, longestMs }) => spanMs < WINDOW_MS && longestMs >= WINDOW_MS,
  )
  return {
    ...{ judged: windows.length - unclear.length, windows: windows.length },
    violations: tooShort.map(({ exchange, first, last, spanMs, longestMs }) => {
      const span = `${spanMs.toFixed(1)} ms (at most ${longestMs.toFixed(1)} ms)`
      return `${exchange} got ${ratePerSecond + 1} requests in ${span}: ${first.seq} ${first.method} ${first.path} to ${last.seq} ${last.method} ${last.path}`
    }),
  }
}
