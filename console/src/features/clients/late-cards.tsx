import { Badge, Group, Text } from '@mantine/core'
import {
  type AuditEntry,
  type ClientStreams,
  type FeedNow,
  getClientHeartbeat,
  type Heartbeat,
  listAudit,
  listClientStreams,
  type OpenStream,
} from 'schema'
import { sentenceOf } from '../../api/audit-entries.ts'
import { feeds as feedNames, streamKinds } from '../../api/exchange-texts.ts'
import { FeedState } from '../../api/feed-state.tsx'
import { QueryView, useLiveQuery, useQuery } from '../../api/queries.tsx'
import { formatBytes, formatDateTime, formatRoughly } from '../../components/format.ts'
import { Card, Quiet } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { useNow } from '../../components/timers.ts'
import { CardLink, TableCard } from './client-cards.tsx'
import classes from './client-page.module.css'
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

const STREAMS_EVERY_MS = 5000
/** A bot that leaves so much unread falls behind. */
const SLOW_BYTES = 100_000

/** Whether its accounts' events come, and what it listens with. */
export function StreamsCard({ id }: { readonly id: number }) {
  const { title, description, what, look, off, noFeeds, noStreams } = texts.streams
  const query = useLiveQuery(listClientStreams, STREAMS_EVERY_MS, false, { params: { id } })
  return (
    <Card
      title={title}
      description={description}
      actions={<CardLink href="/streams">{look}</CardLink>}
    >
      <QueryView query={query} what={what}>
        {(streams) => (
          <div className={classes.streams}>
            <RowsTable
              label={texts.streams.feeds}
              rows={streams.feeds}
              keyOf={({ account, feed }) => `${account} ${feed}`}
              columns={feedColumnsAt(streams)}
              empty={<Quiet>{streams.isOn ? noFeeds : off}</Quiet>}
            />
            <RowsTable
              label={texts.streams.open}
              rows={streams.streams}
              keyOf={({ kind, since, address }) => `${kind} ${since} ${address}`}
              columns={STREAM_COLUMNS}
              empty={<Quiet mt="xs">{noStreams}</Quiet>}
            />
          </div>
        )}
      </QueryView>
    </Card>
  )
}

/** @param streams the ages are as of when they were read */
const feedColumnsAt = ({ at }: ClientStreams) =>
  columnsFrom<FeedNow>(texts.streams.feedColumns, {
    feed: { isRowHeader: true, card: 'plain', cell: ({ feed }) => feedNames[feed] },
    state: {
      card: 'line',
      cell: (feed) => (
        <FeedState {...feed}>
          <span>{texts.streams.for(formatRoughly(Date.parse(at) - Date.parse(feed.since)))}</span>
        </FeedState>
      ),
    },
    lastEvent: ({ lastEventAt }) =>
      lastEventAt === null ? texts.streams.noEvent : formatDateTime(lastEventAt),
  })

const STREAM_COLUMNS = columnsFrom<OpenStream>(texts.streams.columns, {
  kind: { isRowHeader: true, card: 'line', cell: ({ kind }) => streamKinds[kind] },
  since: ({ since, isResumed }) => (
    <>
      {formatDateTime(since)}
      {isResumed && <small>{texts.streams.resumed}</small>}
    </>
  ),
  address: ({ address }) => address,
  waiting: {
    isNumber: true,
    cell: ({ waitingBytes }) => (
      <>
        {formatBytes(waitingBytes)}
        {waitingBytes >= SLOW_BYTES && <small data-alarming="true">{texts.streams.slow}</small>}
      </>
    ),
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
