import { formatMs } from '../../components/format.ts'
import { tableRoles } from '../../components/table-roles.ts'
import { MethodTag, StatusTag } from '../../components/tag.tsx'
import type { LogLine } from './log-line.ts'
import { formatLogTime, type Zone } from './log-time.ts'
import classes from './logs.module.css'
import { texts } from './texts.ts'

interface LogRowProps {
  readonly line: LogLine
  readonly zone: Zone
  /** Of the table, counted from 1, the header included. */
  readonly rowIndex: number
  readonly heightPx: number
  readonly onOpen: (key: string) => void
}

/** One request. Plain elements: the list scrolls through thousands. */
export function LogRow({ line, zone, rowIndex, heightPx, onOpen }: LogRowProps) {
  const { method, endpoint, clientId, timestamp, responseTime, statusCode } = line.entry
  return (
    <tr
      {...tableRoles.row}
      aria-rowindex={rowIndex}
      className={classes.row}
      style={{ height: heightPx }}
    >
      <td {...tableRoles.cell} className={classes.method}>
        <MethodTag method={method || texts.nothing} />
      </td>
      <td {...tableRoles.cell} className={classes.endpoint}>
        <button type="button" title={endpoint} onClick={() => onOpen(line.key)}>
          {endpoint}
        </button>
      </td>
      <td {...tableRoles.cell} className={classes.client} title={clientId ?? undefined}>
        {clientId ?? texts.nothing}
      </td>
      <td {...tableRoles.cell} className={classes.time}>
        {formatLogTime(timestamp, zone) ?? texts.nothing}
      </td>
      <td {...tableRoles.cell} className={classes.took}>
        {Number.isFinite(responseTime) ? formatMs(responseTime) : texts.nothing}
      </td>
      <td {...tableRoles.cell} className={classes.status}>
        <StatusTag status={statusCode} />
      </td>
    </tr>
  )
}
