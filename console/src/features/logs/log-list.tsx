import { useMediaQuery } from '@mantine/hooks'
import { type KeyboardEvent, useRef } from 'react'
import { NoMatch } from '../../api/list-tools.tsx'
import { lazyPart } from '../../components/load-ahead.ts'
import { Quiet } from '../../components/page.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import { filterBy, NO_FILTER, openEntry, useLogSort } from './log-filter.ts'
import type { LogLine } from './log-lines.ts'
import { LogTable } from './log-table.tsx'
import classes from './logs.module.css'
import * as texts from './texts.ts'
import { type LogPart, useEntryApart } from './use-logs.ts'

const LogDetail = lazyPart(() => import('./log-detail.tsx'))

/** From this width on there is room for the details beside the list. */
const WIDE = '(min-width: 75em)'

interface LogListProps {
  /** After the filters. */
  readonly lines: readonly LogLine[]
  /** Before the filters. */
  readonly loaded: readonly LogLine[]
  /** Changes when other lines are wanted; the list then begins at its top. */
  readonly listKey: string
  /** Shows refusals that are alike one by one, or as one again. */
  readonly onFold: (kind: string) => void
  /** Whether the list is scrolled away from its top. */
  readonly onScrolled: (isScrolled: boolean) => void
  /** What there is beyond the lines; undefined: nothing. */
  readonly part: LogPart | undefined
}

/** The rows, or that there are none; and the entry that is open, which the arrow keys change. */
export function LogList(props: LogListProps) {
  const { lines, part } = props
  const sort = useLogSort()
  const [openKey] = useAddressParam('entry')
  const isBeside = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) ?? false
  const box = useRef<HTMLDivElement>(null)
  const openIndex = openKey === '' ? -1 : lines.findIndex(({ key }) => key === openKey)
  const apart = useEntryApart(props.loaded, openKey)
  const open = lines[openIndex] ?? apart.line

  const stepTo = (line: LogLine | undefined) => line && (() => openEntry(line.key))
  const newer = stepTo(lines[openIndex - 1])
  const older = stepTo(openIndex < 0 ? undefined : lines[openIndex + 1])
  const close = () => {
    openEntry('')
    // The row of the entry that was shown last, which the list keeps in sight; the list itself for
    // an entry that it does not have.
    const row = box.current?.querySelector<HTMLElement>('[aria-current] [data-opens]')
    const target = row ?? box.current?.querySelector('section')
    requestAnimationFrame(() => target?.focus())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const acts = { ArrowUp: newer, ArrowDown: older, Escape: isBeside ? close : undefined }
    if (open === undefined) stepByKey(event)
    else actByKey(event, acts)
  }

  if (lines.length === 0)
    return <NoMatch title={texts.noMatch} onClear={() => filterBy(NO_FILTER)} />
  return (
    // Keys of the rows and of the panel come here, also those of a panel over the page.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for keys of what it holds.
    <div
      ref={box}
      className={classes.split}
      onKeyDown={onKeyDown}
      onPointerEnter={() => void LogDetail.ahead()}
    >
      {apart.isGone && (
        <Quiet mb="xs" role="status">
          {texts.gone}
        </Quiet>
      )}
      <LogTable
        lines={lines}
        filterKey={`${props.listKey} ${JSON.stringify(sort)}`}
        openIndex={openIndex}
        onFold={props.onFold}
        onScrolled={props.onScrolled}
        onEnd={part?.isLoading || sort.by !== 'time' ? undefined : part?.loadOlder}
      />
      {open !== undefined && (
        <LogDetail
          line={open}
          isBeside={isBeside}
          onClose={close}
          onNewer={newer}
          onOlder={older}
        />
      )}
    </div>
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

/**
 * The button of the list that an arrow key leads to from another one: that of the next row which
 * does the same, or the next one of the row. Undefined for other keys, and where there is none.
 */
function buttonByKey(key: string, from: EventTarget): HTMLButtonElement | undefined {
  const button = from instanceof Element ? from.closest('button') : null
  const row = button?.closest('td')?.parentElement
  if (!button || !row) return undefined
  if (key === 'ArrowUp') return inRow(row.previousElementSibling, button)
  if (key === 'ArrowDown') return inRow(row.nextElementSibling, button)
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
  if (step === undefined) return undefined
  const buttons = [...row.querySelectorAll('button')]
  return buttons[buttons.indexOf(button) + step]
}

function inRow(row: Element | null, { dataset }: HTMLElement): HTMLButtonElement | undefined {
  const same = dataset.filters === undefined ? '[data-opens]' : '[data-filters]'
  return row?.querySelector<HTMLButtonElement>(same) ?? undefined
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
