import { Button, Text } from '@mantine/core'
import type { ApiKey } from 'schema'
import { Card } from '../../components/card.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { Icon } from '../../components/icons.tsx'
import { ReadTime } from '../../components/read-time.tsx'
import { useGrowingList } from '../../components/use-growing-list.ts'
import { ClientFilters } from './client-filters.tsx'
import classes from './client-list.module.css'
import { ClientRow } from './client-row.tsx'
import { filterClients } from './filter-clients.ts'
import * as texts from './texts.ts'
import { useClientFilter } from './use-client-filter.ts'
import type { ClientRecord } from './use-clients.ts'

interface ClientListProps {
  readonly rows: readonly ClientRecord[]
  /** Exchange keys of all clients; undefined while they are not known. */
  readonly keys: readonly ApiKey[] | undefined
  readonly isReading: boolean
  readonly readAtMs: number | null
  /** The last read failed; the rows are older. */
  readonly hasFailed: boolean
  /** Secrets of this visit by client id: only their rows can reveal and copy. */
  readonly freshSecrets: ReadonlyMap<string, string>
  readonly onRefresh: () => void
  readonly onToggled: (client: ClientRecord) => void
  readonly onEdit: (client: ClientRecord) => void
  readonly onDelete: (client: ClientRecord) => void
}

export function ClientList(props: ClientListProps) {
  const { rows, keys, isReading, readAtMs, hasFailed, freshSecrets, ...on } = props
  const state = useClientFilter()
  const matching = filterClients(rows, state.filter)
  const { visible, end } = useGrowingList(matching)
  return (
    <Card
      title={texts.listTitle(rows.length)}
      actions={
        <>
          <ReadTime atMs={readAtMs} hasFailed={hasFailed} />
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="refresh" size={14} />}
            disabled={isReading}
            onClick={on.onRefresh}
          >
            {texts.refresh}
          </Button>
        </>
      }
    >
      {rows.length === 0 ? (
        <EmptyNote icon="users" title={texts.empty.title} hint={texts.empty.hint} />
      ) : (
        <ClientFilters state={state} />
      )}
      {state.isNarrowed && rows.length > 0 && (
        <Text fz="sm" c="dimmed" role="status" mb="sm">
          {texts.filter.showing(matching.length, rows.length)}
        </Text>
      )}
      {rows.length > 0 && matching.length === 0 && (
        <EmptyNote
          icon="search"
          title={texts.filter.noMatch}
          action={
            <Button variant="default" size="xs" mt="sm" onClick={state.clear}>
              {texts.filter.clear}
            </Button>
          }
        />
      )}
      <ul className={classes.list}>
        {visible.map((client) => (
          <ClientRow
            key={client.id}
            client={client}
            keys={keys}
            freshSecret={freshSecrets.get(client.clientId)}
            onToggled={on.onToggled}
            onEdit={on.onEdit}
            onDelete={on.onDelete}
          />
        ))}
      </ul>
      <div ref={end} />
    </Card>
  )
}
