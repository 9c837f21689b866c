import { Text } from '@mantine/core'
import { formatTimeOfDay } from '../../components/format.ts'
import classes from './overview.module.css'
import { texts } from './texts.ts'
import { QUEUE_WINDOW_MS, type QueuePoint } from './use-queue-history.ts'

const WIDTH = 300
const HEIGHT = 48

/**
 * The queue of the last five minutes as a line, and its values as a table for those who want
 * numbers.
 */
export function QueueChart({ points }: { readonly points: readonly QueuePoint[] }) {
  const last = points.at(-1)
  if (last === undefined) return null
  const most = Math.max(1, ...points.map(({ size }) => size))
  const x = ({ atMs }: QueuePoint) => WIDTH * (1 - (last.atMs - atMs) / QUEUE_WINDOW_MS)
  const y = ({ size }: QueuePoint) => (HEIGHT - 2) * (1 - size / most) + 1
  return (
    <section className={classes.chart} aria-label={texts.queue.title}>
      <Text fz="xs" c="dimmed">
        {texts.queue.title}, {texts.queue.most(Math.max(...points.map(({ size }) => size)))}
      </Text>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className={classes.line}
      >
        <polyline
          points={points.map((point) => `${x(point).toFixed(1)},${y(point).toFixed(1)}`).join(' ')}
        />
      </svg>
      <details>
        <summary>{texts.queue.values}</summary>
        <table className={classes.exchanges} aria-label={texts.queue.title}>
          <thead>
            <tr>
              <th scope="col">{texts.queue.time}</th>
              <th scope="col">{texts.queue.waiting}</th>
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(({ atMs, size }) => (
              <tr key={atMs}>
                <td>{formatTimeOfDay(atMs)}</td>
                <td>{size}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
