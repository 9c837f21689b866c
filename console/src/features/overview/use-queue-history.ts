import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { getOperationsHistory } from 'schema'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { joinPoints, QUEUE_WINDOW_MS, type QueuePoint, sumByTime } from './queue-points.ts'

/** Seldom: the page's own readings follow what the gateway remembers. */
const HISTORY_EVERY_MS = 60_000

/**
 * How many requests waited in the last five minutes, oldest first: as the gateway remembers it, and
 * at each reading of this page.
 * @param readAtMs changes with each good response, whose queue is `size`
 */
export function useQueueHistory(
  size: number | undefined,
  readAtMs: number | null,
): readonly QueuePoint[] {
  const [own, setOwn] = useState<readonly QueuePoint[]>([])
  const add = useEffectEvent((atMs: number) => {
    if (size === undefined) return
    const isRecent = (point: QueuePoint) => point.atMs > atMs - QUEUE_WINDOW_MS
    setOwn((before) => [...before.filter(isRecent), { atMs, size }])
  })
  useEffect(() => {
    if (readAtMs !== null) add(readAtMs)
  }, [readAtMs])
  const { data } = useLiveQuery(getOperationsHistory, HISTORY_EVERY_MS, false, {
    query: { span: '5m' },
  })
  const remembered = useMemo(() => sumByTime(data), [data])
  return useMemo(() => joinPoints(remembered, own), [remembered, own])
}
