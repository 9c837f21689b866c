import { UnstyledButton } from '@mantine/core'
import { Icon } from '../../components/icons.tsx'
import { type LogFilter, readSpan } from './filter-logs.ts'
import { formatLogTime, type Zone } from './log-time.ts'
import classes from './logs.module.css'
import * as texts from './texts.ts'
import { statusOptions } from './texts.ts'
import type { LogFilterState } from './use-log-filter.ts'

interface LogChipsProps {
  readonly state: LogFilterState
  readonly zone: Zone
}

/** The filters that hold, each with what takes it away. Nothing without one. */
export function LogChips({ state, zone }: LogChipsProps) {
  const names = Object.keys(texts.chips) as (keyof LogFilter)[]
  const active = names.filter((name) => state.filter[name] !== '')
  if (active.length === 0) return null
  return (
    <ul className={classes.chips} aria-label={texts.activeFilters}>
      {active.map((name) => {
        const words = `${texts.chips[name]}: ${wordsOf(state.filter, name, zone)}`
        return (
          <li key={name}>
            <UnstyledButton
              className={classes.chip}
              aria-label={texts.removeFilter(words)}
              onClick={() => state.change({ [name]: '' })}
            >
              <span>{words}</span>
              <Icon name="close" size={12} />
            </UnstyledButton>
          </li>
        )
      })}
    </ul>
  )
}

function wordsOf(filter: LogFilter, name: keyof LogFilter, zone: Zone): string {
  const value = filter[name]
  if (name === 'status') return statusOptions.find((each) => each.value === value)?.label ?? value
  const span = name === 'span' ? readSpan(value) : undefined
  return span === undefined ? value : spanWords(span, zone)
}

/** `Mar 05, 14:00 to Mar 05, 15:00`. */
function spanWords(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  zone: Zone,
): string {
  const minute = (atMs: number) =>
    formatLogTime(new Date(atMs).toISOString(), zone)?.slice(0, -3) ?? ''
  return texts.span(minute(fromMs), minute(toMs))
}
