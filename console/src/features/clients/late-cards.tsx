import { Badge, Group, Text } from '@mantine/core'
import { type AuditEntry, getClientHeartbeat, type Heartbeat, listAudit } from 'schema'
import { sentenceOf } from '../../api/audit-entries.ts'
import { QueryView, useLiveQuery, useQuery } from '../../api/queries.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Card, Quiet } from '../../components/page.tsx'
import { columnsFrom } from '../../components/rows-table.tsx'
import { useNow } from '../../components/timers.ts'
import { TableCard } from './client-cards.tsx'
import * as texts from './client-page-texts.ts'

// What is below the first screen of a client's page, and loaded after it.

/** How many changes are shown. */
const CHANGES = 5

/** Who changed what of the client, from what to what. */
export function ChangesCard({ clientId }: { readonly clientId: string }) {
  return (
    <TableCard
      words={texts.changes}
      links={[[texts.changes.all, `/audit?${new URLSearchParams({ subject: clientId })}`]]}
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

const COLUMNS = columnsFrom<AuditEntry>(texts.changes.columns, {
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

const HEARTBEAT_EVERY_MS = 5000

/** Whether a client's silence would cancel its orders, and how long that takes. */
export function HeartbeatCard({ id }: { readonly id: number }) {
  const { title, description, what } = texts.heartbeat
  const query = useLiveQuery(getClientHeartbeat, HEARTBEAT_EVERY_MS, false, { params: { id } })
  return (
    <Card title={title} description={description}>
      <QueryView query={query} what={what}>
        {(heartbeat) => <HeartbeatState heartbeat={heartbeat} />}
      </QueryView>
    </Card>
  )
}

function HeartbeatState({ heartbeat }: { readonly heartbeat: Heartbeat }) {
  const { ttlSeconds, expiresAt } = heartbeat
  const { armed, notArmed, left, overdue, every, none } = texts.heartbeat
  const isArmed = expiresAt !== null
  const nowMs = useNow(isArmed)
  const leftMs = isArmed ? Date.parse(expiresAt) - nowMs : 0
  return (
    <>
      <Group gap="sm">
        <Badge variant="light" color={isArmed ? 'green' : 'gray'}>
          {isArmed ? armed : notArmed}
        </Badge>
        {isArmed && (
          <Text fz="sm" fw={600} role="timer">
            {leftMs > 0 ? left(formatSeconds(Math.ceil(leftMs / 1000))) : overdue}
          </Text>
        )}
      </Group>
      <Quiet mt="xs">{isArmed ? every(formatSeconds(ttlSeconds)) : none}</Quiet>
    </>
  )
}

/** `45 s`, `2 min 5 s`, `3 h`: the two largest units, without those that are 0. */
function formatSeconds(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds < 3600 ? seconds % 60 : 0, 's'],
  ] as const
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return shown.join(' ')
}
