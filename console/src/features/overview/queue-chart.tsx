import { TimeChart } from '../../components/time-chart.tsx'
import { QUEUE_WINDOW_MS, type QueuePoint } from './queue-points.ts'
import * as texts from './texts.ts'
import { STATS_EVERY_MS } from './use-stats.ts'

/** The queue of the last five minutes; it grows with each reading. */
export function QueueChart({ points }: { readonly points: readonly QueuePoint[] }) {
  const last = points.at(-1)
  if (last === undefined) return null
  const toMs = last.atMs + STATS_EVERY_MS
  return (
    <TimeChart
      label={texts.queue.title}
      kind="lines"
      height={100}
      times={points.map(({ atMs }) => atMs)}
      stepMs={STATS_EVERY_MS}
      fromMs={toMs - QUEUE_WINDOW_MS}
      toMs={toMs}
      series={[
        { name: texts.queue.waiting, colour: 'teal', values: points.map(({ size }) => size) },
      ]}
    />
  )
}
