import type { ApiKey } from 'schema'
import { readSort, type Sort, writeSort } from '../../components/sort.ts'
import { SortHeader } from '../../components/sort-header.tsx'
import { tableRoles } from '../../components/table-roles.ts'
import { useAddressParam } from '../../components/use-address-param.ts'
import { ApiKeyRow } from './api-key-row.tsx'
import classes from './api-key-table.module.css'
import { API_KEY_COLUMNS, type ApiKeyColumn, sortApiKeys } from './sort-api-keys.ts'
import * as texts from './texts.ts'

interface ApiKeyTableProps {
  readonly rows: readonly ApiKey[]
  /** Database ids by client id, as far as they are known. */
  readonly clientRefs: ReadonlyMap<string, number>
  readonly onTest: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

/** One row per client and exchange; where there is no room for the columns, one card each. */
export function ApiKeyTable({ rows, clientRefs, onTest, onDelete }: ApiKeyTableProps) {
  const [text, setText] = useAddressParam('sort')
  const sort = readSort(text, API_KEY_COLUMNS)
  const setSort = (next: Sort<ApiKeyColumn>) => setText(writeSort(next))
  return (
    <div className={classes.box}>
      <table className={classes.table} aria-label={texts.table.title} {...tableRoles.table}>
        <thead {...tableRoles.group}>
          <tr {...tableRoles.row}>
            {texts.table.columns.map(({ label, column }) =>
              column === undefined ? (
                <th key={label} {...tableRoles.header} className={classes.plain}>
                  {label}
                </th>
              ) : (
                <SortHeader
                  key={label}
                  column={column}
                  label={label}
                  sort={sort}
                  isDescendingFirst={column === 'created'}
                  onSort={setSort}
                />
              ),
            )}
          </tr>
        </thead>
        <tbody {...tableRoles.group}>
          {sortApiKeys(rows, sort).map((row) => (
            <ApiKeyRow
              key={`${row.exchange} ${row.clientId}`}
              apiKey={row}
              clientRef={clientRefs.get(row.clientId)}
              onTest={onTest}
              onDelete={onDelete}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}
