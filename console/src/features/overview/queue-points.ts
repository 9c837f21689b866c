import type { OperationsHistory } from 'schema'

/** How far back the queue is shown. */
export const QUEUE_WINDOW_MS = 5 * 60_000

export interface QueuePoint {
  readonly atMs: number
  readonly size: number
}

const CLASSES = ['cancel', 'lookup', 'order', 'account', 'market'] as const

/** What waited at all exchanges together, oldest first. */
export function sumByTime(history: Partial<OperationsHistory> | undefined): QueuePoint[] {
  const sizes = new Map<number, number>()
  for (const { points } of history?.exchanges ?? [])
    for (const point of points ?? []) {
      const atMs = Date.parse(point.at)
      const size = CLASSES.reduce((sum, each) => sum + (point[each] || 0), 0)
      sizes.set(atMs, (sizes.get(atMs) ?? 0) + size)
    }
  return [...sizes].map(([atMs, size]) => ({ atMs, size })).toSorted((a, b) => a.atMs - b.atMs)
}

/** What the gateway remembers up to the first own reading, and then the own readings. */
export function joinPoints(
  remembered: readonly QueuePoint[],
  own: readonly QueuePoint[],
): readonly QueuePoint[] {
  const firstMs = own[0]?.atMs ?? Number.POSITIVE_INFINITY
  const all = [...remembered.filter(({ atMs }) => atMs < firstMs), ...own]
  const lastMs = all.at(-1)?.atMs ?? 0
  return all.filter(({ atMs }) => atMs > lastMs - QUEUE_WINDOW_MS)
}
