import { type AuditEntry, listAudit } from 'schema'
import { sentenceOf } from '../../api/audit-entries.ts'
import { QueryView, useQuery } from '../../api/queries.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Card } from '../../components/page.tsx'
import { type Column, RowsTable } from '../../components/rows-table.tsx'
import { CardLink, Quiet } from './client-cards.tsx'
import { changes as texts } from './client-page-texts.ts'

/** How many changes are shown. */
const CHANGES = 5

/** Who changed what of the client, from what to what. */
export default function ChangesCard({ clientId }: { readonly clientId: string }) {
  const { title, what, all, empty } = texts
  const query = useQuery(listAudit, { query: { subject: clientId, limit: '50' } })
  return (
    <Card
      title={title}
      actions={
        <CardLink href={`/audit?${new URLSearchParams({ subject: clientId })}`}>{all}</CardLink>
      }
    >
      <QueryView query={query} what={what}>
        {({ entries }) => (
          <RowsTable
            label={title}
            columns={CHANGE_COLUMNS}
            // The gateway takes a part of a name.
            rows={entries
              .filter(({ subject, actorKind }) => subject === clientId && actorKind !== 'client')
              .slice(0, CHANGES)}
            keyOf={({ id }) => id}
            empty={<Quiet>{empty}</Quiet>}
          />
        )}
      </QueryView>
    </Card>
  )
}

const CHANGE_COLUMNS: readonly Column<AuditEntry>[] = [
  {
    ...{ key: 'at', head: texts.columns.at, card: 'plain' },
    cell: ({ at }) => formatDateTime(at),
  },
  {
    ...{ key: 'what', head: texts.columns.what, isRowHeader: true, card: 'line' },
    cell: (entry) => <Sentence {...sentenceOf(entry)} />,
  },
]

function Sentence({ who, what }: ReturnType<typeof sentenceOf>) {
  return (
    <>
      <b>{who}</b> <span>{what}</span>
    </>
  )
}
