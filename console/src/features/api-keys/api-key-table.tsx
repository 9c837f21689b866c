import { Table } from '@mantine/core'
import type { ApiKey } from 'schema'
import { ApiKeyRow } from './api-key-row.tsx'
import classes from './api-key-table.module.css'
import { texts } from './texts.ts'

interface ApiKeyTableProps {
  readonly rows: readonly ApiKey[]
  readonly onTest: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

export function ApiKeyTable({ rows, onTest, onDelete }: ApiKeyTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
    <section aria-label={`${texts.table.title}, table`} tabIndex={0} className={classes.scroll}>
      <Table verticalSpacing="sm" miw={860} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {texts.table.columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <ApiKeyRow
              key={`${row.exchange} ${row.clientId}`}
              apiKey={row}
              onTest={onTest}
              onDelete={onDelete}
            />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
