import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { SortHeader } from '../../components/sort-header.tsx'
import { tableRoles } from '../../components/table-roles.ts'
import type { LogFilter } from './filter-logs.ts'
import type { LogLine } from './log-line.ts'
import { LogRow } from './log-row.tsx'
import type { Zone } from './log-time.ts'
import classes from './logs.module.css'
import { NARROW } from './narrow.ts'
import { LOG_SORTS, type LogSort } from './sort-logs.ts'
import { texts } from './texts.ts'
import { useKeepPlace } from './use-keep-place.ts'

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
  readonly onOpen: (key: string) => void
  /** Adds to the filters. */
  readonly onShow: (changes: Partial<LogFilter>) => void
}

/**
 * A real table of which only the visible rows exist; it reports its whole length to screen readers.
 */
export function LogTable(props: LogTableProps) {
  const { lines, zone, filterKey, sort, onSort, onOpen, onShow } = props
  const box = useRef<HTMLElement>(null)
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 8,
  })
  useKeepPlace(box, lines, rowPx, filterKey)

  const items = virtual.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
    <section ref={box} className={classes.box} tabIndex={0} aria-label={texts.sortedBy[sort.by]}>
      <table
        {...tableRoles.table}
        className={classes.table}
        aria-label={texts.list}
        aria-rowcount={lines.length + 1}
      >
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
        <tbody {...tableRoles.group}>
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

/** Takes the space of the rows that are out of sight. */
function Spacer({ heightPx }: { heightPx: number }) {
  if (heightPx <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a table row takes no focus; as a row it would be counted.
    <tr aria-hidden="true" className={classes.spacer} style={{ height: heightPx }}>
      <td colSpan={COLUMNS.length} />
    </tr>
  )
}
