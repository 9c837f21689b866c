import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { AUDIT_LIMIT, listAudit } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { useQuery } from '../../api/use-query.ts'
import { Card } from '../../components/card.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { HeaderButton } from '../../components/header-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { AuditEntry } from './audit-entry.tsx'
import { type AuditQuery, toAuditQuery, useAuditFilter } from './audit-filter.ts'
import { AuditFiltersCard } from './audit-filters-card.tsx'
import * as texts from './texts.ts'
import { useAuditExport } from './use-audit-export.ts'

/** Who did what: the filters, the entries that pass them, and a file of them. */
export default function AuditPage() {
  const [filter, setFilter] = useAuditFilter()
  const query = toAuditQuery(filter)
  const key = JSON.stringify(filter)
  const { isExporting, save } = useAuditExport(query)
  const [reads, setReads] = useState(0)
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <HeaderButton icon="refresh" onClick={() => setReads(reads + 1)}>
              {texts.refresh}
            </HeaderButton>
            {(['csv', 'jsonl'] as const).map((format) => (
              <HeaderButton
                key={format}
                icon="download"
                disabled={isExporting}
                onClick={() => void save(format)}
              >
                {format === 'csv' ? texts.exportCsv : texts.exportJsonLines}
              </HeaderButton>
            ))}
          </>
        }
      />
      <Stack gap="md">
        <AuditFiltersCard key={key} filter={filter} onApply={setFilter} />
        <Card title={texts.list} description={texts.listHint}>
          <AuditPart key={`${reads} ${key}`} query={query} />
        </Card>
      </Stack>
    </>
  )
}

interface AuditPartProps {
  readonly query: AuditQuery
  /** Of the part before; undefined for the newest entries. */
  readonly cursor?: number
}

/** A page of the trail, and below it the older ones that were asked for. */
function AuditPart({ query, cursor }: AuditPartProps) {
  const [hasOlder, setOlder] = useState(false)
  const part = useQuery(listAudit, {
    query: { ...query, limit: AUDIT_LIMIT, ...(cursor === undefined ? {} : { cursor }) },
  })
  return (
    <QueryView query={part} what={texts.what}>
      {({ entries, nextCursor }) => (
        <>
          {entries.length === 0 && (
            <EmptyNote
              icon="shield"
              title={texts.empty}
              hint={Object.keys(query).length > 0 ? texts.emptyFilteredHint : texts.emptyHint}
            />
          )}
          {entries.map((entry) => (
            <AuditEntry key={entry.id} entry={entry} />
          ))}
          {nextCursor !== null && !hasOlder && (
            <Button variant="default" mt="sm" onClick={() => setOlder(true)}>
              {texts.older}
            </Button>
          )}
          {nextCursor !== null && hasOlder && <AuditPart query={query} cursor={nextCursor} />}
        </>
      )}
    </QueryView>
  )
}
