import { EXCHANGES } from 'schema'
import type { Events } from './events.ts'

const WINDOW_MS = 1000

/** Reports each call that exceeds the rate. */
export function watchPace(events: Pick<Events, 'on' | 'emit'>, ratePerSecond: number): void {
  const watches = new Map(EXCHANGES.map((name) => [name, createWindowWatch(ratePerSecond)]))
  events.on('dispatch', ({ exchange, dispatch }) => {
    if (watches.get(exchange)?.(dispatch.sentAtMs) === true)
      events.emit('paceViolated', { exchange, ratePerSecond })
  })
}

/**
 * Watches all dispatched calls. The function returns whether a call was one more than
 * `ratePerSecond` (rounded up) within the last 1,000 ms. It verifies the lane's promise
 * independently and shares no code with the lane.
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
