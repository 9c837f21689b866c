const WINDOW_MS = 1000

/**
 * Looks at every call as it went out: returns whether it made one more than `ratePerSecond` (rounded up) in the
 * 1,000 ms before it. An independent witness of the lane's promise; it shares no code with the lane.
 */
export function createWindowWatch(ratePerSecond: number): (sentAtMs: number) => boolean {
  const most = Math.ceil(ratePerSecond)
  const sent: number[] = new Array(most).fill(Number.NEGATIVE_INFINITY)
  let next = 0
  return (sentAtMs) => {
    const before = sent[next] ?? Number.NEGATIVE_INFINITY
    sent[next] = sentAtMs
    next = (next + 1) % most
    return sentAtMs - before < WINDOW_MS
  }
}
