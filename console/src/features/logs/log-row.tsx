import type { ReactNode } from 'react'
import { formatMs } from '../../components/format.ts'
import { MiddleCut } from '../../components/middle-cut.tsx'
import { tableRoles } from '../../components/table-roles.ts'
import { MethodTag, StatusTag } from '../../components/tag.tsx'
import type { LogFilter } from './filter-logs.ts'
import type { LogLine } from './log-line.ts'
import { formatLogTime, type Zone } from './log-time.ts'
import classes from './logs.module.css'
import { methodOptions } from './method-options.ts'
import * as texts from './texts.ts'

interface LogRowProps {
  readonly line: LogLine
  readonly zone: Zone
  /** Of the table, counted from 1, the header included. */
  readonly rowIndex: number
  readonly heightPx: number
  /** Its details are shown. */
  readonly isOpen: boolean
  /** The Tab key stops here; arrow keys lead to the other rows. */
  readonly isStop: boolean
  readonly onOpen: (key: string) => void
  /** Adds to the filters. */
  readonly onShow: (changes: Partial<LogFilter>) => void
}

/**
 * One request; a click where no value is opens it. Plain elements: the list scrolls through
 * thousands.
 */
export function LogRow(props: LogRowProps) {
  const { line, zone, rowIndex, heightPx, isOpen, isStop, onOpen, onShow } = props
  const { method, endpoint, clientId, timestamp, responseTime, statusCode } = line.entry
  const open = () => onOpen(line.key)
  const isChoice = methodOptions.some(({ value }) => value === method)
  return (
    // A larger target for the pointer; keys reach the button of the time.
    <tr
      {...tableRoles.row}
      aria-rowindex={rowIndex}
      aria-current={isOpen ? 'true' : undefined}
      className={classes.row}
      style={{ height: heightPx }}
      onClick={open}
    >
      <td {...tableRoles.cell} className={classes.method}>
        <Value
          what={isChoice && method !== '' ? method : undefined}
          onShow={() => onShow({ method })}
        >
          <MethodTag method={method || texts.nothing} />
        </Value>
      </td>
      <td {...tableRoles.cell} className={classes.endpoint}>
        <Value what={endpoint} isStop={isStop} onShow={() => onShow({ endpoint })}>
          {endpoint}
        </Value>
      </td>
      <td {...tableRoles.cell} className={classes.client}>
        <Value what={clientId ?? undefined} onShow={() => onShow({ client: clientId ?? '' })}>
          {clientId ? <MiddleCut text={clientId} /> : texts.nothing}
        </Value>
      </td>
      <td {...tableRoles.cell} className={classes.time}>
        <button type="button" data-opens tabIndex={isStop ? 0 : -1}>
          {formatLogTime(timestamp, zone) ?? texts.nothing}
        </button>
      </td>
      <td {...tableRoles.cell} className={classes.took}>
        {Number.isFinite(responseTime) ? formatMs(responseTime) : texts.nothing}
      </td>
      <td {...tableRoles.cell} className={classes.status}>
        <Value what={`${statusCode}`} onShow={() => onShow({ code: `${statusCode}` })}>
          <StatusTag status={statusCode} />
        </Value>
      </td>
    </tr>
  )
}

interface ValueProps {
  /** Undefined: nothing that could be filtered by. */
  readonly what: string | undefined
  /** The Tab key stops here; the other values are reached by the arrow keys. */
  readonly isStop?: boolean
  readonly onShow: () => void
  readonly children: ReactNode
}

/** A value that filters the list by itself. */
function Value({ what, isStop = false, onShow, children }: ValueProps) {
  if (what === undefined) return children
  return (
    <button
      type="button"
      title={what}
      aria-label={texts.only(what)}
      tabIndex={isStop ? 0 : -1}
      onClick={(event) => {
        // Not the row's click.
        event.stopPropagation()
        onShow()
      }}
    >
      {children}
    </button>
  )
}
