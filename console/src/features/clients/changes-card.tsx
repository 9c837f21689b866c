import { type AuditEntry, listAudit } from 'schema'
import { sentenceOf } from '../../api/audit-entries.ts'
import { useQuery } from '../../api/queries.tsx'
import { formatDateTime } from '../../components/format.ts'
import { columnsFrom } from '../../components/rows-table.tsx'
import { TableCard } from './client-cards.tsx'
import { changes as texts } from './client-page-texts.ts'

/** How many changes are shown. */
const CHANGES = 5

/** Who changed what of the client, from what to what. */
export function ChangesCard({ clientId }: { readonly clientId: string }) {
  return (
    <TableCard
      words={texts}
      links={[[texts.all, `/audit?${new URLSearchParams({ subject: clientId })}`]]}
      query={useQuery(listAudit, { query: { subject: clientId, limit: '50' } })}
      // The gateway takes a part of a name.
      rowsOf={({ entries }) =>
        entries
          .filter(({ subject, actorKind }) => subject === clientId && actorKind !== 'client')
          .slice(0, CHANGES)
      }
      columns={COLUMNS}
      keyOf={({ id }) => id}
    />
  )
}

const COLUMNS = columnsFrom<AuditEntry>(texts.columns, {
  at: { card: 'plain', cell: ({ at }) => formatDateTime(at) },
  what: {
    ...{ isRowHeader: true, card: 'line' },
    cell: (entry) => {
      const { who, what } = sentenceOf(entry)
      return (
        <>
          <b>{who}</b> <span>{what}</span>
        </>
      )
    },
  },
})
