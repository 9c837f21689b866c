import { Button } from '@mantine/core'
import { useMemo } from 'react'
import type { ApiKey, ListedClient } from 'schema'
import { EmptyNote } from '../../components/empty-note.tsx'
import type { ApiKeyFilter } from './api-key-filters.tsx'
import { ApiKeyTable } from './api-key-table.tsx'
import * as texts from './texts.ts'

interface ApiKeyListProps {
  readonly rows: readonly ApiKey[]
  /** Undefined while they are not known. */
  readonly clients: readonly ListedClient[] | undefined
  readonly filter: ApiKeyFilter
  readonly onClear: () => void
  readonly onTest: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

/** The rows that the filters leave; distinguishes "none at all" from "none that match". */
export function ApiKeyList(props: ApiKeyListProps) {
  const { rows, clients, filter, onClear, onTest, onDelete } = props
  const clientRefs = useMemo(
    () => new Map(clients?.map(({ clientId, id }) => [clientId, id])),
    [clients],
  )
  if (rows.length === 0) {
    return <EmptyNote icon="key" title={texts.empty.title} hint={texts.empty.hint} />
  }
  const matching = rows.filter(
    ({ clientId, exchange }) =>
      (filter.clientId === '' || filter.clientId === clientId) &&
      (filter.exchange === '' || filter.exchange === exchange),
  )
  if (matching.length === 0) {
    const clear = (
      <Button variant="default" size="xs" mt="sm" onClick={onClear}>
        {texts.clearFilters}
      </Button>
    )
    return <EmptyNote icon="search" title={texts.noMatch} action={clear} />
  }
  return <ApiKeyTable rows={matching} clientRefs={clientRefs} onTest={onTest} onDelete={onDelete} />
}
