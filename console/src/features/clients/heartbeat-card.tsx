import { Badge, Group, Text } from '@mantine/core'
import { getClientHeartbeat, type Heartbeat } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { Card } from '../../components/card.tsx'
import { useNow } from '../../components/use-now.ts'
import * as stopTexts from './stop-texts.ts'

const EVERY_MS = 5000
const { title, description, what, armed, notArmed, every, left, overdue, none } =
  stopTexts.heartbeat

/** Whether a client's silence would cancel its orders, and how long that takes. */
export function HeartbeatCard({ id }: { readonly id: number }) {
  const query = useLiveQuery(getClientHeartbeat, EVERY_MS, false, { params: { id } })
  return (
    <Card title={title} description={description}>
      <QueryView query={query} what={what}>
        {(heartbeat) => <State heartbeat={heartbeat} />}
      </QueryView>
    </Card>
  )
}

function State({ heartbeat: { ttlSeconds, expiresAt } }: { readonly heartbeat: Heartbeat }) {
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
      <Text fz="sm" c="dimmed" mt="xs">
        {isArmed ? every(formatSeconds(ttlSeconds)) : none}
      </Text>
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
