import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import {
  type AccountStreams,
  EXCHANGE_NAMES,
  type FeedNow,
  type GatewayNode,
  listAccountStreams,
  listNodes,
  type NodeGroup,
  type Standby,
} from 'schema'
import { feeds as feedNames } from '../../api/exchange-texts.ts'
import { FeedState } from '../../api/feed-state.tsx'
import { QueryView, useLiveQuery } from '../../api/queries.tsx'
import { formatBytes, formatCount, formatMs, formatRoughly } from '../../components/format.ts'
import { Card, ClientLink, EmptyNote, PARTS, PageLink, PagePart } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { Tag } from '../../components/signs.tsx'
import * as texts from './late-texts.ts'
import classes from './operations.module.css'
import { Age, Ago, GatewayClock } from './parts.tsx'

// What is below the first screen of the page, and loaded after it.

const EVERY_MS = 5000
const ALARMING_CLOCK_MS = 1000
const ID_LENGTH = 8

/** The gateways that share the database: which one is the owner, and what is wrong with others. */
export function NodesCard() {
  const query = useLiveQuery(listNodes, EVERY_MS)
  const { data, readAtMs } = query
  return (
    <Card
      title={data === undefined ? texts.label : texts.title(data.nodes.length)}
      description={texts.description}
    >
      <QueryView query={query} what={texts.what}>
        {(group) => (
          <GatewayClock value={Date.parse(group.at) - (readAtMs ?? Date.now())}>
            <OwnerLine group={group} />
            {group.nodes.length === 0 ? (
              <EmptyNote icon="activity" title={texts.empty} hint={texts.emptyHint} />
            ) : (
              <NodesTable group={group} />
            )}
            {group.standbys.map((standby, index) => (
              // Several may have one name.
              // biome-ignore lint/suspicious/noArrayIndexKey: they have no other key.
              <StandbyLine key={index} standby={standby} />
            ))}
          </GatewayClock>
        )}
      </QueryView>
    </Card>
  )
}

function OwnerLine({ group: { nodes, owner } }: { readonly group: NodeGroup }) {
  const isThere = nodes.some(({ isOwner, isMissing }) => isOwner && !isMissing)
  if (owner === null || !isThere)
    return (
      <p className={classes.trouble} data-state="broken">
        {texts.noOwner}
      </p>
    )
  return (
    <Text fz="sm" mb="sm">
      <span>{`${texts.ownerSince(owner.fence)} `}</span>
      <Age of={owner.since} />
    </Text>
  )
}

function NodesTable({ group: { at, nodes } }: { readonly group: NodeGroup }) {
  // What the others should be like: the owner.
  const usual = nodes.find(({ isOwner }) => isOwner) ?? nodes[0]
  return (
    <RowsTable
      label={texts.label}
      rows={nodes}
      keyOf={({ id }) => id}
      columns={columnsFrom<GatewayNode>(texts.columns, {
        node: {
          isRowHeader: true,
          cell: (node) => <Name node={node} usual={usual ?? node} at={at} />,
        },
        version: ({ version }) => version,
        running: (node) => <Ago of={node.startedAt} isRough />,
        seen: (node) => <Ago of={node.seenAt} isRough />,
        keys: ({ keyIds }) => (
          <>
            <span>{keyIds.map((keyId) => keyId.slice(0, ID_LENGTH)).join(', ')}</span>
            {keyIds.join() !== usual?.keyIds.join() && (
              <small data-alarming>{texts.otherKeys}</small>
            )}
          </>
        ),
        clock: ({ clockOffsetMs }) => <ClockOffset ms={clockOffsetMs} />,
      })}
    />
  )
}

interface NameProps {
  readonly node: GatewayNode
  readonly usual: GatewayNode
  readonly at: string
}

function Name({ node, usual, at }: NameProps) {
  const { states } = texts
  const unseenMs = Date.parse(at) - Date.parse(node.seenAt)
  const standsBy = !node.isOwner && !node.isMissing && !node.isLeaving
  return (
    <>
      <span>{node.url ?? texts.unnamed(node.id.slice(0, ID_LENGTH))}</span>{' '}
      {node.isOwner && <Tag colour="green">{states.owner}</Tag>}{' '}
      {standsBy && <Tag colour="gray">{states.standsBy}</Tag>}{' '}
      {node.isMissing && <Tag colour="red">{texts.missing(formatRoughly(unseenMs))}</Tag>}{' '}
      {node.isLeaving && <Tag colour="yellow">{states.leaving}</Tag>}{' '}
      {node.version !== usual.version && <Tag colour="yellow">{states.otherVersion}</Tag>}
    </>
  )
}

function ClockOffset({ ms }: { readonly ms: number | null }) {
  if (ms === null) return texts.clockUnknown
  const time = formatMs(Math.abs(ms))
  const words = ms < 0 ? texts.clockBehind(time) : texts.clockAhead(time)
  return Math.abs(ms) < ALARMING_CLOCK_MS ? words : <small data-alarming>{words}</small>
}

function StandbyLine({ standby: { name, state, lagBytes, lagMs } }: { readonly standby: Standby }) {
  return (
    <Text fz="sm" mt="sm" style={{ overflowWrap: 'anywhere' }}>
      {texts.standby(name)}{' '}
      {state === null || lagBytes === null
        ? texts.standbyUnreadable
        : texts.standbyState(state, formatBytes(lagBytes))}{' '}
      {lagMs !== null && texts.standbyLag(formatMs(lagMs))}
    </Text>
  )
}

const words = texts.streams

/** What the exchanges push of accounts: which sockets are open, and whether anything is missing. */
export function StreamsCard() {
  const query = useLiveQuery(listAccountStreams, EVERY_MS)
  const { data, readAtMs } = query
  return (
    <PagePart id={PARTS.streams}>
      <Card
        title={data === undefined ? words.label : words.title(data.feeds.length)}
        description={data === undefined ? words.description : socketsOf(data)}
        actions={
          data !== undefined &&
          data.feeds.length > 0 && <PageLink href="/streams">{words.look}</PageLink>
        }
      >
        <QueryView query={query} what={words.what}>
          {(streams) => (
            <GatewayClock value={Date.parse(streams.at) - (readAtMs ?? Date.now())}>
              <Feeds streams={streams} />
            </GatewayClock>
          )}
        </QueryView>
      </Card>
    </PagePart>
  )
}

/** With `WebSockets: MEXC 2, Bitget 1.` where there are any. */
function socketsOf({ isOn, sockets }: AccountStreams): string {
  if (!isOn || sockets.every(({ open }) => open === 0)) return words.description
  const counts = sockets.map(
    ({ exchange, open }) => `${EXCHANGE_NAMES[exchange]} ${formatCount(open)}`,
  )
  return `${words.description} ${words.sockets(counts.join(', '))}`
}

/** A line for each of those that are not live. */
const LINES_MAX = 3

/** Those that are not live, in a line each; all of them as a table when somebody asks. */
function Feeds({ streams: { isOn, feeds } }: { readonly streams: AccountStreams }) {
  const [areAllShown, setAllShown] = useState(false)
  if (!isOn) return <EmptyNote icon="ban" title={words.off} hint={words.offHint} />
  if (feeds.length === 0)
    return (
      <EmptyNote
        icon="waves"
        title={words.empty}
        hint={words.emptyHint}
        action={<PageLink href="/streams">{words.look}</PageLink>}
      />
    )
  if (areAllShown)
    return (
      <RowsTable
        label={words.label}
        rows={feeds}
        keyOf={({ account, feed }) => `${account} ${feed}`}
        columns={FEED_COLUMNS}
      />
    )
  const notLive = feeds.filter(({ state }) => state !== 'live')
  return (
    <>
      {notLive.slice(0, LINES_MAX).map((feed) => (
        <Text key={`${feed.account} ${feed.feed}`} fz="sm">
          <FeedClients {...feed} /> {`${feedNames[feed.feed]}: `} <FeedLine feed={feed} />
        </Text>
      ))}
      <Group gap="xs" mt={notLive.length > 0 ? 'xs' : 0}>
        {notLive.length === 0 && <Text fz="sm">{words.allLive(feeds.length)}</Text>}
        <Button size="compact-xs" variant="default" onClick={() => setAllShown(true)}>
          {words.all(feeds.length)}
        </Button>
      </Group>
    </>
  )
}

function FeedClients({ clients }: Pick<FeedNow, 'clients'>) {
  return clients.map(({ id, clientId }, place) => (
    <span key={id}>
      {place > 0 && ', '}
      <ClientLink id={id} clientId={clientId} />
    </span>
  ))
}

function FeedLine({ feed }: { readonly feed: FeedNow }) {
  return (
    <FeedState {...feed}>
      <span>{words.for}</span> <Age of={feed.since} isRough />{' '}
    </FeedState>
  )
}

const FEED_COLUMNS = columnsFrom<FeedNow>(words.columns, {
  clients: {
    ...{ isRowHeader: true, card: 'line' },
    cell: (feed) => <FeedClients {...feed} />,
  },
  feed: ({ feed }) => feedNames[feed],
  state: (feed) => <FeedLine feed={feed} />,
  lastEvent: ({ lastEventAt }) =>
    lastEventAt === null ? words.noEvent : <Ago of={lastEventAt} isRough />,
  perMinute: { isNumber: true, cell: ({ eventsLastMinute }) => formatCount(eventsLastMinute) },
  listening: { isNumber: true, cell: ({ listening }) => formatCount(listening) },
})
