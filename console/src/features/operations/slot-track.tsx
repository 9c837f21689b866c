import { Text } from '@mantine/core'
import { type CSSProperties, useId } from 'react'
import { EXCHANGE_NAMES, type ExchangeNow } from 'schema'
import { newRequestWords } from '../../api/exchange-state.ts'
import { formatDuration } from '../../components/format.ts'
import { cutMiddle } from '../../components/shorten.ts'
import { ClassTag } from './class-tag.tsx'
import classes from './operations.module.css'
import * as texts from './texts.ts'

const words = texts.track
/** What fits into a place. */
const CLIENT_LENGTH = 17
/** Sooner than this is now. */
const NOW_MS = 100

/** The requests that are sent next, in their order; they move on with each response. */
export function SlotTrack({ now }: { readonly now: ExchangeNow }) {
  const { exchange, nextSlots } = now
  const id = useId()
  const title = words.title(EXCHANGE_NAMES[exchange])
  return (
    <section aria-labelledby={id}>
      <Text component="h3" id={id} fz="xs" fw={500} c="dimmed" m={0} mb={4}>
        {title}
      </Text>
      {nextSlots.length === 0 ? (
        <Text fz="sm">{words.empty(newRequestWords(now))}</Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard.
        <ol className={classes.track} tabIndex={0} aria-labelledby={id}>
          {nextSlots.map(({ id: slot, inMs, clientId, requestClass, endpoint }, place) => (
            <li
              key={slot}
              style={{ '--place': place } as CSSProperties}
              title={`${clientId}: ${endpoint}`}
            >
              <span>
                <ClassTag requestClass={requestClass} />
                {inMs < NOW_MS ? words.now : words.in(formatDuration(inMs))}
              </span>
              <span>{cutMiddle(clientId, CLIENT_LENGTH)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
