import type { getLogHistogram, LogHistogramStep, OperationsHistory, ResponseOf } from 'schema'
import type { ChartSeries } from '../../components/chart-scale.ts'
import * as texts from './texts.ts'

const words = texts.traffic

/** The requests of a day, in equal steps without a gap. */
export interface Traffic {
  readonly stepMs: number
  /** Where each step begins; none when there were no requests. */
  readonly times: readonly number[]
  readonly counts: readonly ChartSeries[]
  readonly durations: readonly ChartSeries[]
  /** Of all requests, in ms; null when that is not known. */
  readonly avgQueueMs: number | null
}

type Histogram = Pick<ResponseOf<typeof getLogHistogram>, 'steps' | 'stepMs'>

/** @param windowMs how far back the steps reach from now, or from the newest one */
export function toTraffic({ steps, stepMs }: Histogram, nowMs: number, windowMs: number): Traffic {
  const byTime = new Map<number, LogHistogramStep>()
  for (const step of Array.isArray(steps) ? steps : []) {
    const atMs = Date.parse(step?.at)
    if (!Number.isNaN(atMs)) byTime.set(atMs, step)
  }
  const endMs = Math.max(Math.floor(nowMs / stepMs) * stepMs, ...byTime.keys())
  const count = byTime.size > 0 && stepMs > 0 ? Math.ceil(windowMs / stepMs) : 0
  const times = Array.from({ length: count }, (_, index) => endMs - (count - 1 - index) * stepMs)
  const slots = times.map((atMs) => byTime.get(atMs))

  const countOf = (key: 'success' | 'failed' | 'other') => slots.map((slot) => slot?.[key] || 0)
  const meanOf = (key: 'avgQueueMs' | 'avgUpstreamMs') =>
    slots.map((slot) => (Number.isFinite(slot?.[key]) ? (slot?.[key] ?? null) : null))
  const other = countOf('other')
  return {
    stepMs,
    times,
    counts: [
      { name: words.succeeded, colour: 'green', values: countOf('success') },
      { name: words.failed, colour: 'red', values: countOf('failed') },
      ...(other.some((each) => each > 0)
        ? [{ name: words.other, colour: 'gray', values: other } as const]
        : []),
    ],
    durations: [
      { name: words.inQueue, colour: 'blue', values: meanOf('avgQueueMs') },
      { name: words.atExchange, colour: 'violet', values: meanOf('avgUpstreamMs') },
    ],
    avgQueueMs: avgQueueOf([...byTime.values()]),
  }
}

function avgQueueOf(steps: readonly LogHistogramStep[]): number | null {
  let [sum, count] = [0, 0]
  for (const { avgQueueMs, success, failed, other } of steps) {
    if (!Number.isFinite(avgQueueMs)) continue
    const requests = (success || 0) + (failed || 0) + (other || 0)
    sum += (avgQueueMs ?? 0) * requests
    count += requests
  }
  return count === 0 ? null : sum / count
}

/** How often the statistics are read (console-checklist.md, 79). */
export const STATS_EVERY_MS = 5000

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
