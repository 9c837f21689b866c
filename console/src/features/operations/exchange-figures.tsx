import type { ReactNode } from 'react'
import type { ExchangeNow } from 'schema'
import { formatCount, formatDuration, formatMs } from '../../components/format.ts'
import { formatNumber } from '../../components/locale.ts'
import { Age } from './gateway-clock.tsx'
import classes from './operations.module.css'
import * as texts from './texts.ts'

const words = texts.figures

/** An exchange in numbers: the three that matter most first. */
export function ExchangeFigures({ now }: { readonly now: ExchangeNow }) {
  const { state, queueSize, longestWaitMs, sentLastMinute, inFlight, lastError } = now
  const figures: readonly (readonly [string, ReactNode])[] = [
    [words.waiting, formatCount(queueSize)],
    [words.newClient, refuses(state) ? words.refused : waitOf(now.estimatedWaitMs)],
    [words.busiest, refuses(state) ? words.refused : waitOf(now.busiestWaitMs)],
    [words.oldest, queueSize === 0 ? '–' : formatDuration(longestWaitMs)],
    [words.pace, words.paceOf(formatNumber(now.rateLimit), formatNumber(now.fullRateLimit))],
    [words.sent, formatCount(sentLastMinute)],
    [words.inFlight, formatCount(inFlight)],
    [words.clock, clockOf(now.clockOffsetMs)],
  ]
  return (
    <>
      <dl className={classes.figures}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={classes.lastError}>
        <span>{words.lastError}</span>{' '}
        {lastError === null ? (
          words.noError
        ) : (
          <>
            <Age of={lastError.at} isRough /> {`${words.ago}: ${lastError.message}`}
          </>
        )}
      </p>
    </>
  )
}

const refuses = (state: ExchangeNow['state']) => state === 'broken' || state === 'stopped'

const waitOf = (ms: number) => (ms < 1 ? words.noWait : words.waits(formatDuration(ms)))

function clockOf(offsetMs: number | null): string {
  if (offsetMs === null) return words.clockUnknown
  const size = formatMs(Math.abs(offsetMs))
  return offsetMs < 0 ? words.clockBehind(size) : words.clockAhead(size)
}
