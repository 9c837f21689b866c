import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ClientNow } from 'schema'
import { Link } from 'wouter'
import { hasUnsent } from '../../api/use-unsent-form.tsx'
import { Card } from '../../components/card.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { ClientLine } from './client-line.tsx'
import { HaltDialog } from './halt-dialog.tsx'
import { ResumeClientDialog } from './resume-client-dialog.tsx'
import { RowsTable } from './rows-table.tsx'
import { StopClientDialog } from './stop-client-dialog.tsx'
import { stopFormName } from './stop-form.tsx'
import * as texts from './texts.ts'
import { useHeldOrder } from './use-held-order.ts'

const words = texts.clients
const SHOWN = 10

interface Asked {
  readonly what: 'halt' | 'stop' | 'resume'
  readonly client: ClientNow
}

interface ClientsCardProps {
  readonly clients: readonly ClientNow[]
  /** Shows what waits of a client. */
  readonly onQueue: (clientId: string) => void
}

/** Who asks for what, and the buttons that end it. */
export function ClientsCard({ clients, onQueue }: ClientsCardProps) {
  const [isWhole, setWhole] = useState(false)
  const [asked, setAsked] = useState(() => interruptedStop(clients))
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
      <RowsTable label={words.title} columns={words.columns} events={held.events}>
        {shown.map((client) => (
          <ClientLine
            key={client.id}
            client={client}
            total={total}
            onQueue={() => onQueue(client.clientId)}
            onHalt={() => setAsked({ what: 'halt', client })}
            onStop={() => setAsked({ what: 'stop', client })}
            onResume={() => setAsked({ what: 'resume', client })}
          />
        ))}
      </RowsTable>
      {clients.length > SHOWN && !isWhole && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setWhole(true)}>
          {words.showAll(clients.length)}
        </Button>
      )}
      {asked?.what === 'halt' && <HaltDialog client={asked.client} onClose={close} />}
      {asked?.what === 'stop' && <StopClientDialog client={asked.client} onClose={close} />}
      {asked?.what === 'resume' && (
        <ResumeClientDialog
          client={asked.client}
          isStopped={asked.client.state === 'stopped'}
          onClose={close}
        />
      )}
    </Card>
  )
}

/** The stop that was being written when the session ended; null when none was. */
function interruptedStop(clients: readonly ClientNow[]): Asked | null {
  const client = clients.find(({ clientId }) => hasUnsent(stopFormName(clientId)))
  return client === undefined ? null : { what: 'stop', client }
}
