import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ClientNow } from 'schema'
import { Link } from 'wouter'
import { Card } from '../../components/card.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { tableRoles } from '../../components/table-roles.ts'
import { ClientLine } from './client-line.tsx'
import { HaltDialog } from './halt-dialog.tsx'
import classes from './operations.module.css'
import { StopClientDialog } from './stop-client-dialog.tsx'
import { texts } from './texts.ts'
import { useHeldOrder } from './use-held-order.ts'

const { clients: words } = texts
const SHOWN = 10

interface ClientsCardProps {
  readonly clients: readonly ClientNow[]
  /** Shows what waits of a client. */
  readonly onQueue: (clientId: string) => void
}

/** Who asks for what, and the buttons that end it. */
export function ClientsCard({ clients, onQueue }: ClientsCardProps) {
  const [isWhole, setWhole] = useState(false)
  const [asked, setAsked] = useState<{ what: 'halt' | 'stop'; client: ClientNow } | null>(null)
  const held = useHeldOrder(clients, ({ id }) => id)
  const total = clients.reduce((sum, { waiting }) => sum + waiting, 0)
  const shown = isWhole ? held.rows : held.rows.slice(0, SHOWN)
  const close = () => setAsked(null)
  if (clients.length === 0) {
    return (
      <Card title={words.title} description={words.description}>
        <EmptyNote
          icon="users"
          title={words.empty}
          hint={words.emptyHint}
          action={
            <Button component={Link} href="/connect" variant="default" size="xs" mt="sm">
              {words.emptyAction}
            </Button>
          }
        />
      </Card>
    )
  }
  return (
    <Card title={words.title} description={words.description}>
      <div className={classes.box} {...held.events}>
        <table {...tableRoles.table} className={classes.rows} aria-label={words.title}>
          <thead {...tableRoles.group}>
            <tr {...tableRoles.row}>
              {Object.entries(words.columns).map(([key, name]) => (
                <th key={key} {...tableRoles.header} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody {...tableRoles.group}>
            {shown.map((client) => (
              <ClientLine
                key={client.id}
                client={client}
                total={total}
                onQueue={() => onQueue(client.clientId)}
                onHalt={() => setAsked({ what: 'halt', client })}
                onStop={() => setAsked({ what: 'stop', client })}
              />
            ))}
          </tbody>
        </table>
      </div>
      {clients.length > SHOWN && !isWhole && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setWhole(true)}>
          {words.showAll(clients.length)}
        </Button>
      )}
      {asked?.what === 'halt' && <HaltDialog client={asked.client} onClose={close} />}
      {asked?.what === 'stop' && <StopClientDialog client={asked.client} onClose={close} />}
    </Card>
  )
}
