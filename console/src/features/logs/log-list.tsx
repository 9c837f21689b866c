import { Button, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type KeyboardEvent, useRef } from 'react'
import { EmptyNote } from '../../components/empty-note.tsx'
import type { LogFilter } from './filter-logs.ts'
import { LogDetail } from './log-detail.tsx'
import type { LogLine } from './log-line.ts'
import { LogTable } from './log-table.tsx'
import type { Zone } from './log-time.ts'
import classes from './logs.module.css'
import { buttonByKey } from './row-keys.ts'
import type { LogSort } from './sort-logs.ts'
import * as texts from './texts.ts'
import { useEntryApart } from './use-entry-apart.ts'
import { clearFilter, type LogFilterState } from './use-log-filter.ts'

/** From this width on there is room for the details beside the list. */
const WIDE = '(min-width: 75em)'

interface LogListProps {
  /** After the filters. */
  readonly lines: readonly LogLine[]
  /** Before the filters. */
  readonly loaded: readonly LogLine[]
  readonly zone: Zone
  readonly state: LogFilterState
  /** Changes when other lines are wanted; the list then begins at its top. */
  readonly listKey: string
  readonly sort: LogSort
  readonly onSort: (sort: LogSort) => void
  /** Of the entry that is open; '' for none. */
  readonly openKey: string
  readonly onOpen: (key: string) => void
  /** Whether the list is scrolled away from its top. */
  readonly onScrolled: (isScrolled: boolean) => void
  /** Loads what follows the last line; undefined: there is nothing. */
  readonly onEnd: (() => void) | undefined
}

/** The rows, or that there are none; and the entry that is open, which the arrow keys change. */
export function LogList(props: LogListProps) {
  const { lines, state, openKey, onOpen } = props
  const isBeside = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) ?? false
  const box = useRef<HTMLDivElement>(null)
  const openIndex = openKey === '' ? -1 : lines.findIndex(({ key }) => key === openKey)
  const apart = useEntryApart(props.loaded, openKey)
  const open = lines[openIndex] ?? apart.line

  const stepTo = (line: LogLine | undefined) => line && (() => onOpen(line.key))
  const newer = stepTo(lines[openIndex - 1])
  const older = stepTo(openIndex < 0 ? undefined : lines[openIndex + 1])
  const close = () => {
    onOpen('')
    // The row of the entry that was shown last, which the list keeps in sight; the list itself for
    // an entry that it does not have.
    const row = box.current?.querySelector<HTMLElement>('[aria-current] [data-opens]')
    const target = row ?? box.current?.querySelector('section')
    requestAnimationFrame(() => target?.focus())
  }
  const show = (changes: Partial<LogFilter>) => {
    onOpen('')
    state.change(changes)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const acts = { ArrowUp: newer, ArrowDown: older, Escape: isBeside ? close : undefined }
    if (open === undefined) stepByKey(event)
    else actByKey(event, acts)
  }

  if (lines.length === 0) return <NoMatch state={state} />
  return (
    // Keys of the rows and of the panel come here, also those of a panel over the page.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for keys of what it holds.
    <div
      ref={box}
      className={classes.split}
      data-open={open !== undefined && isBeside}
      onKeyDown={onKeyDown}
    >
      {apart.isGone && (
        <Text fz="sm" c="dimmed" mb="xs" role="status">
          {texts.detail.gone}
        </Text>
      )}
      <LogTable
        lines={lines}
        zone={props.zone}
        filterKey={`${props.listKey} ${JSON.stringify(props.sort)}`}
        sort={props.sort}
        openIndex={openIndex}
        onSort={props.onSort}
        onOpen={onOpen}
        onShow={state.change}
        onScrolled={props.onScrolled}
        onEnd={props.onEnd}
      />
      {open !== undefined && (
        <LogDetail
          line={open}
          isBeside={isBeside}
          onClose={close}
          onNewer={newer}
          onOlder={older}
          onShow={show}
        />
      )}
    </div>
  )
}

function NoMatch({ state }: Pick<LogListProps, 'state'>) {
  return (
    <EmptyNote
      icon="search"
      title={texts.noMatch}
      action={
        <Button variant="default" mt="sm" onClick={() => clearFilter(state)}>
          {texts.clear}
        </Button>
      }
    />
  )
}

/** Moves the focus among the buttons of the rows. */
function stepByKey(event: KeyboardEvent): void {
  const next = buttonByKey(event.key, event.target)
  if (next === undefined) return
  event.preventDefault()
  next.focus({ preventScroll: true })
  next.closest('tr')?.scrollIntoView({ block: 'nearest' })
}

/** Changes the entry that is open, or closes it. */
function actByKey(
  event: KeyboardEvent,
  acts: Readonly<Record<string, (() => void) | undefined>>,
): void {
  const act = acts[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
}
