import { useMediaQuery } from '@mantine/hooks'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { formatCount } from '../../components/format.ts'
import { countByTime, type TimeCount } from './count-by-time.ts'
import { type LogFilter, readSpan, type Span, writeSpan } from './filter-logs.ts'
import { spanWords } from './log-chips.tsx'
import type { LogLine } from './log-line.ts'
import type { Zone } from './log-time.ts'
import classes from './logs.module.css'
import { NARROW } from './narrow.ts'
import { texts } from './texts.ts'

interface LogStripProps {
  /** After all filters but the span. */
  readonly lines: readonly LogLine[]
  readonly span: LogFilter['span']
  readonly zone: Zone
  readonly onSpan: (span: LogFilter['span']) => void
}

/**
 * Successes and errors over time. A bar narrows the list to its time; with Shift the span grows to
 * it.
 */
export function LogStrip({ lines, span: spanText, zone, onSpan }: LogStripProps) {
  // A finger needs 24 px (WCAG 2.5.8).
  const hoursEach = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ? 3 : 1
  const bars = useMemo(() => countByTime(lines, hoursEach), [lines, hoursEach])
  const [chosen, setChosen] = useState(Number.POSITIVE_INFINITY)
  const current = Math.min(chosen, bars.length - 1)
  const most = Math.max(1, ...bars.map(({ total }) => total))
  const span = readSpan(spanText)
  if (bars.length === 0) return null

  const choose = (bar: Span, isGrowing: boolean) => {
    const { fromMs, toMs } = isGrowing && span !== undefined ? hull(span, bar) : bar
    const next = writeSpan({ fromMs, toMs })
    onSpan(next === spanText ? '' : next)
  }
  // One stop for the Tab key; the arrows go from bar to bar.
  const step = (event: KeyboardEvent<HTMLElement>) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    const next = event.currentTarget.children[current + by]
    if (by === 0 || !(next instanceof HTMLElement)) return
    event.preventDefault()
    next.focus()
  }
  return (
    <fieldset aria-label={texts.strip} className={classes.strip} onKeyDown={step}>
      {bars.map((bar, index) => (
        <button
          key={bar.fromMs}
          type="button"
          className={classes.bar}
          tabIndex={index === current ? 0 : -1}
          aria-pressed={span !== undefined && isWithin(bar, span)}
          aria-label={`${spanWords(bar, zone)}: ${countsOf(bar)}`}
          title={`${spanWords(bar, zone)}\n${countsOf(bar)}`}
          onFocus={() => setChosen(index)}
          onClick={(event) => choose(bar, event.shiftKey)}
        >
          <span className={classes.errors} style={{ height: `${(bar.errors / most) * 100}%` }} />
          <span
            className={classes.successes}
            style={{ height: `${((bar.total - bar.errors) / most) * 100}%` }}
          />
        </button>
      ))}
    </fieldset>
  )
}

const countsOf = ({ successes, errors }: TimeCount) =>
  texts.counts(formatCount(successes), formatCount(errors))

const isWithin = (bar: Span, { fromMs, toMs }: Span) => bar.fromMs >= fromMs && bar.toMs <= toMs

function hull(a: Span, b: Span): Span {
  return { fromMs: Math.min(a.fromMs, b.fromMs), toMs: Math.max(a.toMs, b.toMs) }
}
