import type { HistoryPoint } from 'schema'
import type { QueueMinuteRow } from '../../store/queue-minute-store.ts'

/** What waited at most, by class, and what was sent, from a moment on. */
export type QueuePoint = Omit<QueueMinuteRow, 'exchange'>

/** One point for each step that has points, oldest first. */
export function mergePoints(points: readonly QueuePoint[], stepMs: number): QueuePoint[] {
  const merged: QueuePoint[] = []
  for (const point of points) {
    const atMs = Math.floor(point.atMs / stepMs) * stepMs
    const last = merged.at(-1)
    if (last?.atMs === atMs) merged[merged.length - 1] = merge(last, point)
    else merged.push({ ...point, atMs })
  }
  return merged
}

export function toHistoryPoint({ atMs, ...counts }: QueuePoint): HistoryPoint {
  return { at: new Date(atMs).toISOString(), ...counts }
}

function merge(one: QueuePoint, other: QueuePoint): QueuePoint {
  return {
    atMs: one.atMs,
    cancel: Math.max(one.cancel, other.cancel),
    lookup: Math.max(one.lookup, other.lookup),
    order: Math.max(one.order, other.order),
    account: Math.max(one.account, other.account),
    market: Math.max(one.market, other.market),
    sent: one.sent + other.sent,
  }
}
