import { Button } from '@mantine/core'
import { Card } from '../../components/card.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { Icon } from '../../components/icons.tsx'
import { useGrowingList } from '../../components/use-growing-list.ts'
import classes from './client-list.module.css'
import { ClientRow } from './client-row.tsx'
import { texts } from './texts.ts'
import type { ClientRecord } from './use-clients.ts'

interface ClientListProps {
  readonly rows: readonly ClientRecord[]
  readonly isReading: boolean
  /** Secrets of this visit by client id: only their rows can reveal and copy. */
  readonly freshSecrets: ReadonlyMap<string, string>
  readonly onRefresh: () => void
  readonly onToggled: (client: ClientRecord) => void
  readonly onEdit: (client: ClientRecord) => void
  readonly onDelete: (client: ClientRecord) => void
}

export function ClientList({ rows, isReading, freshSecrets, ...on }: ClientListProps) {
  const { visible, end } = useGrowingList(rows)
  return (
    <Card
      title={texts.listTitle(rows.length)}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="refresh" size={14} />}
          disabled={isReading}
          onClick={on.onRefresh}
        >
          Refresh
        </Button>
      }
    >
      {rows.length === 0 && (
        <EmptyNote icon="users" title={texts.empty.title} hint={texts.empty.hint} />
      )}
      <ul className={classes.list}>
        {visible.map((client) => (
          <ClientRow
            key={client.id}
            client={client}
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
