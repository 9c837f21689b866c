import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { SortHeader, tableRoles } from '../../components/rows-table.tsx'
import { useIsNarrow } from './log-chart.tsx'
import { LOG_SORTS, type LogSort, sortBy, useLogSort, useZone } from './log-filter.ts'
import type { LogLine } from './log-lines.ts'
import { LogRow } from './log-row.tsx'
import classes from './logs.module.css'
import * as texts from './texts.ts'

/** Heights of a row, the same for all of them; on narrow screens it has several lines. */
const ROW_PX = 34
const NARROW_ROW_PX = 92
/** Of all columns, in their order. */
const COLUMNS = ['method', 'endpoint', 'client', 'time', 'took', 'status'] as const

interface LogTableProps {
  readonly lines: readonly LogLine[]
  /** Changes when other lines are wanted; the list then begins at its top. */
  readonly filterKey: string
  /** The line whose details are shown; -1 for none. */
  readonly openIndex: number
  readonly onFold: (kind: string) => void
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
  const { lines, filterKey, openIndex, onScrolled } = props
  const zone = useZone()
  const sort = useLogSort()
  const box = useRef<HTMLElement>(null)
  const rowPx = useIsNarrow() ? NARROW_ROW_PX : ROW_PX
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

  useOpenInSight(box, openIndex, virtual)
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
        <Head sort={sort} />
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
                  onFold={props.onFold}
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

/** Scrolls to the row whose details are shown, when it is another one. */
function useOpenInSight(
  box: RefObject<HTMLElement | null>,
  openIndex: number,
  virtual: Virtualizer<HTMLElement, Element>,
): void {
  // The page scrolls along: the list can be higher than what is seen of it.
  const scrollToOpen = useEffectEvent(() => {
    const row = box.current?.querySelector('[aria-current]')
    if (row) row.scrollIntoView({ block: 'nearest' })
    else virtual.scrollToIndex(openIndex, { align: 'center' })
  })
  useEffect(() => {
    if (openIndex >= 0) scrollToOpen()
  }, [openIndex])
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

function Head({ sort }: { readonly sort: LogSort }) {
  return (
    <thead {...tableRoles.group}>
      <tr {...tableRoles.row} aria-rowindex={1}>
        {COLUMNS.map((column) => {
          const sorts = LOG_SORTS.find((name) => name === column)
          const label = texts.columns[column]
          return sorts === undefined ? (
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
              column={sorts}
              label={label}
              sort={sort}
              isDescendingFirst
              onSort={sortBy}
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

/**
 * Keeps what a person reads where it is when newer lines come in above it; a list at its top stays
 * at its top. Another filter starts at the top.
 */
function useKeepPlace(
  box: RefObject<HTMLElement | null>,
  lines: readonly LogLine[],
  rowPx: number,
  filterKey: string,
): void {
  const shown = useRef({ lines, filterKey })

  useLayoutEffect(() => {
    const before = shown.current
    shown.current = { lines, filterKey }
    const element = box.current
    if (element === null || before.lines === lines) return
    if (before.filterKey !== filterKey) {
      element.scrollTop = 0
      return
    }
    const firstRow = Math.floor(element.scrollTop / rowPx)
    const key = before.lines[firstRow]?.key
    if (firstRow === 0 || key === undefined) return
    const rowNow = lines.findIndex((line) => line.key === key)
    if (rowNow >= 0) element.scrollTop += (rowNow - firstRow) * rowPx
  }, [box, lines, rowPx, filterKey])
}

/**
 * The one row at which the Tab key stops: the open one, the one that had the focus last, or the
 * first in sight. Were every row one, nobody would get past a list that grows while it is read.
 */
function useRowStop(
  lines: readonly LogLine[],
  openIndex: number,
  virtual: Virtualizer<HTMLElement, Element>,
) {
  const [lastKey, setLastKey] = useState<string>()
  const inSight = new Set(virtual.getVirtualItems().map(({ key }) => key))
  const wanted = [lines[openIndex]?.key, lastKey]
  const found = wanted.find((key) => key !== undefined && inSight.has(key))
  const noteFocus = ({ target }: FocusEvent) => {
    const row = Number(target.closest('tr')?.getAttribute('aria-rowindex'))
    // The header is the first row.
    setLastKey(lines[row - 2]?.key)
  }
  return { stopKey: found ?? lines[virtual.range?.startIndex ?? 0]?.key, noteFocus }
}
