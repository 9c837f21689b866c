import type { MouseEvent } from 'react'
import type { LogEntry } from 'schema'
import { formatCount, formatMs, formatOrder } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { MenuButton } from '../../components/menu-button.tsx'
import { tableRoles } from '../../components/rows-table.tsx'
import { MiddleCut } from '../../components/short-text.tsx'
import { MethodTag, StatusTag } from '../../components/signs.tsx'
import { filterBy, type LogFilter, METHODS, openEntry, type Zone } from './log-filter.ts'
import { type Fold, formatLogTime, type LogLine } from './log-lines.ts'
import classes from './logs.module.css'
import * as texts from './texts.ts'

interface LogRowProps {
  readonly line: LogLine
  readonly zone: Zone
  /** Of the table, counted from 1, the header included. */
  readonly rowIndex: number
  readonly heightPx: number
  /** Its details are shown. */
  readonly isOpen: boolean
  /** The Tab key stops here; arrow keys lead to the other rows, and to what else the row has. */
  readonly isStop: boolean
  /** Shows refusals that are alike one by one, or as one again. */
  readonly onFold: (kind: string) => void
}

/** A click there does what the element does. */
const OWN_CLICKS = 'button, [role="menu"]'

/** One request; a click anywhere opens it. Plain elements: the list scrolls through thousands. */
export function LogRow(props: LogRowProps) {
  const { line, zone, rowIndex, heightPx, isOpen, isStop, onFold } = props
  const { method, endpoint, clientId, timestamp, responseTime, statusCode, message } = line.entry
  const open = ({ target }: MouseEvent) => {
    const isOwn = target instanceof Element && target.closest(OWN_CLICKS) !== null
    if (!isOwn && getSelection()?.isCollapsed !== false) openEntry(line.key)
  }
  const order = formatOrder(line.entry.order)
  return (
    // A larger target for the pointer; keys reach the button of the endpoint.
    <tr
      {...tableRoles.row}
      aria-rowindex={rowIndex}
      aria-current={isOpen ? 'true' : undefined}
      className={classes.row}
      style={{ height: heightPx }}
      onClick={open}
    >
      <td {...tableRoles.cell} className={classes.method}>
        <MethodTag method={method || texts.nothing} />
      </td>
      <td {...tableRoles.cell} className={classes.endpoint}>
        <button
          type="button"
          data-opens
          title={endpoint}
          tabIndex={isStop ? 0 : -1}
          onClick={() => openEntry(line.key)}
        >
          {endpoint}
        </button>
        {(line.fold ?? order ?? message) !== undefined && (
          <span className={classes.more}>
            {line.fold && <FoldButton fold={line.fold} zone={zone} onFold={onFold} />}
            {[order, message].filter((part) => part !== undefined).join(' · ')}
          </span>
        )}
      </td>
      <td {...tableRoles.cell} className={classes.client}>
        {clientId ? <MiddleCut text={clientId} /> : texts.nothing}
      </td>
      <td {...tableRoles.cell} className={classes.time}>
        {formatLogTime(timestamp, zone) ?? texts.nothing}
      </td>
      <td {...tableRoles.cell} className={classes.took}>
        {Number.isFinite(responseTime) ? formatMs(responseTime) : texts.nothing}
      </td>
      <td {...tableRoles.cell} className={classes.status}>
        <MenuButton
          className={classes.filter}
          data-filters
          icon="filter"
          label={texts.rowFilters(endpoint)}
          tabIndex={-1}
          acts={() =>
            filtersOf(line.entry).map(({ value, changes }) => ({
              ...{ label: texts.only(value), run: () => filterBy(changes) },
            }))
          }
        />
        <StatusTag status={statusCode} />
      </td>
    </tr>
  )
}

interface FoldButtonProps {
  readonly fold: Fold
  readonly zone: Zone
  readonly onFold: (kind: string) => void
}

/** `× 4,210, first Mar 05, 14:02:11`; shows them one by one. */
function FoldButton({ fold: { kind, lines, isOpen }, zone, onFold }: FoldButtonProps) {
  const count = formatCount(lines.length)
  const first = formatLogTime(lines.at(-1)?.entry.timestamp ?? '', zone) ?? texts.nothing
  return (
    <button
      type="button"
      className={classes.fold}
      aria-expanded={isOpen}
      title={isOpen ? texts.fold.close : texts.fold.open(count)}
      tabIndex={-1}
      onClick={() => onFold(kind)}
    >
      <Icon name="chevronRight" size={10} />
      {texts.fold.words(count, first)}
    </button>
  )
}

/** The filters that an entry offers, by the name of what they keep. */
export function filtersOf({ method, endpoint, clientId, statusCode, code }: LogEntry) {
  const all = [
    { name: 'method', value: METHODS.find((each) => each === method) },
    { name: 'endpoint', value: endpoint },
    { name: 'client', value: clientId },
    { name: 'code', value: Number.isFinite(statusCode) ? `${statusCode}` : undefined },
    { name: 'search', value: code },
  ] as const
  return all.flatMap(({ name, value }) =>
    value ? [{ name, value, changes: { [name]: value } as Partial<LogFilter> }] : [],
  )
}
