import { Anchor, Button } from '@mantine/core'
import type { ClientNow } from 'schema'
import { changeClientLimits, resumeClient, stopClient } from 'schema'
import { Link } from 'wouter'
import { NEAR_PERCENT, nearestUse, shadowWords } from '../../api/nearest-use.ts'
import { RoleOnly } from '../../api/role-only.tsx'
import { formatCount } from '../../components/format.ts'
import { cutMiddle } from '../../components/shorten.ts'
import { tableRoles } from '../../components/table-roles.ts'
import { Tag, type TagColour } from '../../components/tag.tsx'
import { Age } from './gateway-clock.tsx'
import classes from './operations.module.css'
import * as texts from './texts.ts'

const words = texts.clients
const COLOURS: Readonly<Record<ClientNow['state'], TagColour>> = {
  active: 'green',
  reducing: 'yellow',
  halted: 'red',
  stopped: 'red',
  expired: 'gray',
}
/** Ids as the console makes them are shown whole. */
const CLIENT_LENGTH = 32
/** From here on a part is worth a look. */
const ALARMING_PERCENT = 50

interface ClientLineProps {
  readonly client: ClientNow
  /** What waits of all clients. */
  readonly total: number
  readonly onQueue: () => void
  readonly onHalt: () => void
  readonly onStop: () => void
  readonly onResume: () => void
}

/** One client: what it does now, and what ends it. */
export function ClientLine(props: ClientLineProps) {
  const { client, total, onQueue, onHalt, onStop, onResume } = props
  const { id, clientId, active, state, waiting, lastSeenAt, lastAddress } = client
  const { columns } = words
  const isStopped = state === 'stopped'
  return (
    <tr {...tableRoles.row}>
      <th {...tableRoles.rowHeader} scope="row" className={classes.id}>
        <Anchor
          component={Link}
          href={`/client-credentials/${id}`}
          fw={500}
          fz="inherit"
          title={clientId}
        >
          {cutMiddle(clientId, CLIENT_LENGTH)}
        </Anchor>{' '}
        {state !== 'active' && <Tag colour={COLOURS[state]}>{words.states[state]}</Tag>}{' '}
        {!active && <Tag colour="gray">{words.off}</Tag>}
        {client.stoppedAt !== null && (
          <small className={classes.wrapped}>
            <Age of={client.stoppedAt} isRough /> {`${texts.figures.ago}: ${client.stopReason}`}
          </small>
        )}
      </th>
      <td {...tableRoles.cell} data-label={columns.waiting} className={classes.id}>
        <Waiting waiting={waiting} total={total} clientId={clientId} onQueue={onQueue} />
      </td>
      <td {...tableRoles.cell} data-label={columns.rate} className={classes.id}>
        {words.requests(client.requestsLastMinute)}
        <Failed client={client} />
      </td>
      <td {...tableRoles.cell} data-label={columns.limit}>
        <NearestLimit client={client} />
      </td>
      <td {...tableRoles.cell} data-label={columns.seen}>
        {lastSeenAt === null ? (
          words.never
        ) : (
          <>
            <Age of={lastSeenAt} isRough /> {texts.figures.ago}
          </>
        )}
        {lastAddress !== null && <small className={classes.wrapped}>{lastAddress}</small>}
      </td>
      <td {...tableRoles.cell} className={classes.actions}>
        {isStopped || state === 'halted' ? (
          <RoleOnly endpoint={resumeClient}>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={words.resumeOf(clientId)}
              onClick={onResume}
            >
              {words.resume}
            </Button>
          </RoleOnly>
        ) : (
          <RoleOnly endpoint={changeClientLimits}>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={words.haltOf(clientId)}
              onClick={onHalt}
            >
              {words.halt}
            </Button>
          </RoleOnly>
        )}
        {!isStopped && (
          <RoleOnly endpoint={stopClient}>
            <Button
              size="compact-xs"
              color="red"
              variant="light"
              aria-label={words.stopOf(clientId)}
              onClick={onStop}
            >
              {words.stop}
            </Button>
          </RoleOnly>
        )}
        <Button
          component={Link}
          href={`/logs?${new URLSearchParams({ q: clientId })}`}
          size="compact-xs"
          variant="default"
          aria-label={words.logsOf(clientId)}
        >
          {words.logs}
        </Button>
      </td>
    </tr>
  )
}

interface WaitingProps {
  readonly waiting: number
  readonly total: number
  readonly clientId: string
  readonly onQueue: () => void
}

/** How much of all that waits is one client's; leads to its entries. */
function Waiting({ waiting, total, clientId, onQueue }: WaitingProps) {
  if (waiting === 0) return 0
  const percent = Math.round((waiting * 100) / total)
  return (
    <>
      <Anchor
        component="button"
        type="button"
        fz="inherit"
        fw={600}
        aria-label={words.showQueue(waiting, clientId)}
        onClick={onQueue}
      >
        {formatCount(waiting)}
      </Anchor>
      <small data-alarming={percent >= ALARMING_PERCENT && total > 1}>{words.share(percent)}</small>
    </>
  )
}

function Failed({ client: { requestsLastMinute, failedLastMinute } }: { client: ClientNow }) {
  if (failedLastMinute === 0) return null
  // Responses of this minute may belong to requests that arrived before it.
  const percent = Math.round((failedLastMinute * 100) / requestsLastMinute)
  return (
    <small data-alarming={percent >= ALARMING_PERCENT}>
      {percent > 100 ? words.failedCount(failedLastMinute) : words.failed(percent)}
    </small>
  )
}

function NearestLimit({ client }: { readonly client: ClientNow }) {
  const { nearestLimit, wouldHaveRefused } = client
  if (wouldHaveRefused != null) return shadowWords(wouldHaveRefused)
  if (nearestLimit === null) return words.noLimit
  const { name, use, percent } = nearestUse(nearestLimit)
  return (
    <>
      {name}
      <small data-alarming={percent >= NEAR_PERCENT}>{use}</small>
    </>
  )
}
