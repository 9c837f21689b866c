import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { tableRoles } from '../../components/table-roles.ts'
import type { LogLine } from './log-line.ts'
import { LogRow } from './log-row.tsx'
import type { Zone } from './log-time.ts'
import classes from './logs.module.css'
import { texts } from './texts.ts'
import { useKeepPlace } from './use-keep-place.ts'

/** Heights of a row: one line, or three on narrow screens. The style sheet changes the layout at the same width. */
const ROW_PX = 40
const NARROW_ROW_PX = 84
const NARROW = '(max-width: 48em)'
const COLUMNS = ['method', 'endpoint', 'client', 'time', 'took', 'status'] as const

interface LogTableProps {
  readonly lines: readonly LogLine[]
  readonly zone: Zone
  /** Changes when other lines are wanted; the list then begins at its top. */
  readonly filterKey: string
  readonly onOpen: (key: string) => void
}

/** A real table of which only the visible rows exist; it tells its whole length to screen readers. */
export function LogTable({ lines, zone, filterKey, onOpen }: LogTableProps) {
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
    <section ref={box} className={classes.box} tabIndex={0} aria-label={texts.box}>
      <table
        {...tableRoles.table}
        className={classes.table}
        aria-label={texts.list}
        aria-rowcount={lines.length + 1}
      >
        <thead {...tableRoles.group}>
          <tr {...tableRoles.row} aria-rowindex={1}>
            {COLUMNS.map((column) => (
              <th key={column} {...tableRoles.header} className={classes[column]}>
                {texts.columns[column]}
              </th>
            ))}
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

/** Stands for the rows that are out of sight. */
function Spacer({ heightPx }: { heightPx: number }) {
  if (heightPx <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a table row takes no focus; as a row it would be counted.
    <tr aria-hidden="true" className={classes.spacer} style={{ height: heightPx }}>
      <td colSpan={COLUMNS.length} />
    </tr>
  )
}
