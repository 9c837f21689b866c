import { useEffect, useEffectEvent, useState } from 'react'

/** How far back the queue is remembered. */
export const QUEUE_WINDOW_MS = 5 * 60_000

export interface QueuePoint {
  readonly atMs: number
  readonly size: number
}

/**
 * How many requests waited at each reading of the last five minutes, oldest first; kept while the
 * page is open.
 * @param readAtMs changes with each good response, whose queue is `size`
 */
export function useQueueHistory(
  size: number | undefined,
  readAtMs: number | null,
): readonly QueuePoint[] {
  const [points, setPoints] = useState<readonly QueuePoint[]>([])
  const add = useEffectEvent((atMs: number) => {
    if (size === undefined) return
    const isRecent = (point: QueuePoint) => point.atMs > atMs - QUEUE_WINDOW_MS
    setPoints((before) => [...before.filter(isRecent), { atMs, size }])
  })
  useEffect(() => {
    if (readAtMs !== null) add(readAtMs)
  }, [readAtMs])
  return points
}
