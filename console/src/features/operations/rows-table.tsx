import type { HTMLAttributes, ReactNode } from 'react'
import { tableRoles } from '../../components/table-roles.ts'
import classes from './operations.module.css'

/** Columns of buttons. */
const ENDS = new Set(['actions', 'drop'])

interface RowsTableProps {
  readonly label: string
  readonly columns: Readonly<Record<string, string>>
  /** The rows. */
  readonly children: ReactNode
  /** What happens around the rows. */
  readonly events?: HTMLAttributes<HTMLDivElement>
}

/** A table of the Operations page: its box, its head, and the place of its rows. */
export function RowsTable({ label, columns, children, events }: RowsTableProps) {
  return (
    <div className={classes.box} {...events}>
      <table {...tableRoles.table} className={classes.rows} aria-label={label}>
        <thead {...tableRoles.group}>
          <tr {...tableRoles.row}>
            {Object.entries(columns).map(([key, name]) => (
              <th
                key={key}
                {...tableRoles.header}
                scope="col"
                className={ENDS.has(key) ? classes.actions : undefined}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...tableRoles.group}>{children}</tbody>
      </table>
    </div>
  )
}
