import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { SortHeader } from '../../components/sort-header.tsx'
import { tableRoles } from '../../components/table-roles.ts'
import type { LogFilter } from './filter-logs.ts'
import type { LogLine } from './log-line.ts'
import { LogRow } from './log-row.tsx'
import type { Zone } from './log-time.ts'
import classes from './logs.module.css'
import { NARROW } from './narrow.ts'
import { LOG_SORTS, type LogSort } from './sort-logs.ts'
import * as texts from './texts.ts'
import { useKeepPlace } from './use-keep-place.ts'
import { useRowStop } from './use-row-stop.ts'

/** Heights of a row: one line, or three on narrow screens. */
const ROW_PX = 40
const NARROW_ROW_PX = 84
/** Of all columns, in their order. */
const COLUMNS = ['method', 'endpoint', 'client', 'time', 'took', 'status'] as const

interface LogTableProps {
  readonly lines: readonly LogLine[]
  readonly zone: Zone
  /** Changes when other lines are wanted; the list then begins at its top. */
  readonly filterKey: string
  readonly sort: LogSort
  readonly onSort: (sort: LogSort) => void
  /** The line whose details are shown; -1 for none. */
  readonly openIndex: number
  readonly onOpen: (key: string) => void
  /** Adds to the filters. */
  readonly onShow: (changes: Partial<LogFilter>) => void
  /** Whether the list is scrolled away from its top. */
  readonly onScrolled: (isScrolled: boolean) => void
  /** Called near the end of the list; undefined: nothing follows. */
  readonly onEnd: (() => void) | undefined
}

/** So many rows before the end more of them are loaded. */
const END_ROWS = 15
/** Rows that are printed, if so many are there: 40 to a page. */
const PRINTED_MAX = 1000

/**
 * A real table of which only the visible rows exist; it reports its whole length to screen readers.
 */
export function LogTable(props: LogTableProps) {
  const { lines, zone, filterKey, sort, onSort, openIndex, onOpen, onShow, onScrolled } = props
  const box = useRef<HTMLElement>(null)
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX
  const isPrinted = useIsPrinted()
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 8,
  })
  useKeepPlace(box, lines, rowPx, filterKey)
  const { stopKey, noteFocus } = useRowStop(lines, openIndex, virtual)

  // The page scrolls along: the list can be higher than what is seen of it.
  const scrollToOpen = useEffectEvent(() => {
    const row = box.current?.querySelector('[aria-current]')
    if (row) row.scrollIntoView({ block: 'nearest' })
    else virtual.scrollToIndex(openIndex, { align: 'center' })
  })
  useEffect(() => {
    if (openIndex >= 0) scrollToOpen()
  }, [openIndex])

  const inSight = virtual.getVirtualItems()
  const last = inSight.at(-1)?.index ?? 0
  const isNearEnd = !isPrinted && last > 0 && last >= lines.length - END_ROWS
  useEnd(box, isNearEnd, lines.length, props.onEnd)

  const items = isPrinted ? printedItems(lines) : inSight
  const above = isPrinted ? 0 : (inSight[0]?.start ?? 0)
  const below = isPrinted ? 0 : virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0)
  return (
    <section
      ref={box}
      className={classes.box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
      tabIndex={0}
      aria-label={texts.sortedBy[sort.by]}
      onScroll={({ currentTarget }) => onScrolled(currentTarget.scrollTop >= rowPx)}
    >
      <table
        {...tableRoles.table}
        className={classes.table}
        aria-label={texts.list}
        aria-rowcount={lines.length + 1}
      >
        <Head sort={sort} onSort={onSort} />
        <tbody {...tableRoles.group} onFocus={noteFocus}>
          <Spacer heightPx={above} />
          {items.map(({ index, key }) => {
            const line = lines[index]
            return (
              line && (
                <LogRow
                  key={key}
                  line={line}
                  zone={zone}
                  rowIndex={index + 2}
                  heightPx={rowPx}
                  isOpen={index === openIndex}
                  isStop={line.key === stopKey}
                  onOpen={onOpen}
                  onShow={onShow}
                />
              )
            )
          })}
          <Spacer heightPx={below} />
        </tbody>
      </table>
    </section>
  )
}

/** Calls back near the end of a list that is read to it. */
function useEnd(
  box: RefObject<HTMLElement | null>,
  isNearEnd: boolean,
  length: number,
  onEnd: LogTableProps['onEnd'],
): void {
  const end = useEffectEvent(() => {
    // A list that shows all of itself, as on paper, is at its end without being read to it.
    if ((box.current?.scrollTop ?? 0) > 0) onEnd?.()
  })
  useEffect(() => {
    if (isNearEnd && length > 0) end()
  }, [isNearEnd, length])
}

function Head({ sort, onSort }: Pick<LogTableProps, 'sort' | 'onSort'>) {
  return (
    <thead {...tableRoles.group}>
      <tr {...tableRoles.row} aria-rowindex={1}>
        {COLUMNS.map((column) => {
          const sortBy = LOG_SORTS.find((name) => name === column)
          const label = texts.columns[column]
          return sortBy === undefined ? (
            <th
              key={column}
              {...tableRoles.header}
              className={`${classes[column]} ${classes.plain}`}
            >
              {label}
            </th>
          ) : (
            <SortHeader
              key={column}
              column={sortBy}
              label={label}
              sort={sort}
              isDescendingFirst
              onSort={onSort}
              className={classes[column]}
            />
          )
        })}
      </tr>
    </thead>
  )
}

/** Everything that is there, because nobody scrolls on paper. */
const printedItems = (lines: readonly LogLine[]) =>
  lines.slice(0, PRINTED_MAX).map(({ key }, index) => ({ index, key }))

/** Whether the page is being printed; known before its picture is made. */
function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(false)
  useEffect(() => {
    const print = window.matchMedia('print')
    const follow = () => flushSync(() => setPrinted(print.matches))
    print.addEventListener('change', follow)
    return () => print.removeEventListener('change', follow)
  }, [])
  return isPrinted
}

/** Takes the space of the rows that are out of sight. */
function Spacer({ heightPx }: { heightPx: number }) {
  if (heightPx <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a table row takes no focus; as a row it would be counted.
    <tr aria-hidden="true" className={classes.spacer} style={{ height: heightPx }}>
      <td />
    </tr>
  )
}
