import { Text } from '@mantine/core'
import { type GatewayNode, listNodes, type NodeGroup, type Standby } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { Card } from '../../components/card.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { formatBytes, formatMs, formatRoughly } from '../../components/format.ts'
import { tableRoles } from '../../components/table-roles.ts'
import { Tag } from '../../components/tag.tsx'
import { Age, GatewayClock } from './gateway-clock.tsx'
import * as texts from './nodes-texts.ts'
import classes from './operations.module.css'
import { RowsTable } from './rows-table.tsx'

const EVERY_MS = 5000
const ALARMING_CLOCK_MS = 1000
const ID_LENGTH = 8

/** The gateways that share the database: which one is the owner, and what is wrong with others. */
export default function NodesCard() {
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
      {texts.ownerSince(owner.fence)} <Age of={owner.since} />
    </Text>
  )
}

function NodesTable({ group: { at, nodes } }: { readonly group: NodeGroup }) {
  const usual = nodes.find(({ isOwner }) => isOwner) ?? nodes[0]
  return (
    <RowsTable label={texts.label} columns={texts.columns}>
      {nodes.map((node) => (
        <NodeLine key={node.id} node={node} usual={usual ?? node} at={at} />
      ))}
    </RowsTable>
  )
}

interface NodeLineProps {
  readonly node: GatewayNode
  /** What the others should be like: the owner. */
  readonly usual: GatewayNode
  readonly at: string
}

function NodeLine({ node, usual, at }: NodeLineProps) {
  const { columns, states } = texts
  const unseenMs = Date.parse(at) - Date.parse(node.seenAt)
  const standsBy = !node.isOwner && !node.isMissing && !node.isLeaving
  const hasOtherKeys = node.keyIds.join() !== usual.keyIds.join()
  return (
    <tr {...tableRoles.row}>
      <th {...tableRoles.rowHeader} scope="row">
        {node.url ?? texts.unnamed(node.id.slice(0, ID_LENGTH))}{' '}
        {node.isOwner && <Tag colour="green">{states.owner}</Tag>}{' '}
        {standsBy && <Tag colour="gray">{states.standsBy}</Tag>}{' '}
        {node.isMissing && <Tag colour="red">{texts.missing(formatRoughly(unseenMs))}</Tag>}{' '}
        {node.isLeaving && <Tag colour="yellow">{states.leaving}</Tag>}{' '}
        {node.version !== usual.version && <Tag colour="yellow">{states.otherVersion}</Tag>}
      </th>
      <td {...tableRoles.cell} data-label={columns.version}>
        {node.version}
      </td>
      <td {...tableRoles.cell} data-label={columns.running}>
        <Age of={node.startedAt} isRough /> {texts.ago}
      </td>
      <td {...tableRoles.cell} data-label={columns.seen}>
        <Age of={node.seenAt} isRough /> {texts.ago}
      </td>
      <td {...tableRoles.cell} data-label={columns.keys}>
        {node.keyIds.map((keyId) => keyId.slice(0, ID_LENGTH)).join(', ')}
        {hasOtherKeys && <small data-alarming>{texts.otherKeys}</small>}
      </td>
      <td {...tableRoles.cell} data-label={columns.clock}>
        <ClockOffset ms={node.clockOffsetMs} />
      </td>
    </tr>
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
