import { Anchor, Text } from '@mantine/core'
import type { OrderLife } from 'schema'
import { Link } from 'wouter'
import { formatMs, formatTimeOfDay } from '../../components/format.ts'
import { wordsOf } from './event-texts.ts'
import { orderAddress } from './find-order.ts'
import classes from './order-life.module.css'
import * as texts from './texts.ts'

/** Everything that happened to an order, one below the other, the oldest first. */
export function TimeLine({ life: { events, exchange, createdAt } }: { readonly life: OrderLife }) {
  const startMs = Date.parse(createdAt)
  return (
    <ol className={classes.line}>
      {events.map((event, at) => {
        const { title, detail, tone } = wordsOf(event, exchange)
        const atMs = Date.parse(event.at)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: events are only added at the end.
          <li key={at} className={classes.event} data-tone={tone}>
            <Text component="span" fw={600} fz="sm" mr="xs">
              {title}
            </Text>
            <Text component="time" dateTime={event.at} fz="xs" c="dimmed" title={event.at}>
              {`${formatTimeOfDay(atMs)}, ${spanText(atMs - startMs)}`}
            </Text>
            {detail !== undefined && detail !== '' && (
              <Text fz="sm" c="dimmed">
                {detail}
              </Text>
            )}
            {event.requestId !== undefined && (
              <Anchor component={Link} href={orderAddress(event.requestId)} fz="sm">
                {texts.other}
              </Anchor>
            )}
          </li>
        )
      })}
    </ol>
  )
}

const MINUTE_MS = 60_000

/** How long after the order was received. */
function spanText(ms: number): string {
  const long = Math.abs(ms)
  const span = long < 10 * MINUTE_MS ? formatMs(long) : `${Math.round(long / MINUTE_MS)} min`
  return ms < 0 ? texts.beforeIt(span) : `+${span}`
}
