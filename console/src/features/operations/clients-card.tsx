import { Anchor, Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import {
  type ClientNow,
  changeClientLimits,
  type Operations,
  resumeClient,
  stopClient,
} from 'schema'
import { Link } from 'wouter'
import { NEAR_PERCENT, nearestUse, shadowWords } from '../../api/exchange-state.ts'
import { isStopUnsent, StopDialog } from '../../api/stop-dialog.tsx'
import { useResuming } from '../../api/stop-state.ts'
import { formatCount } from '../../components/format.ts'
import { Card, ClientLink, EmptyNote } from '../../components/page.tsx'
import { type Column, columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { Tag, type TagColour } from '../../components/signs.tsx'
import classes from './operations.module.css'
import { Ago, RowButton, useHeldOrder } from './parts.tsx'
import * as texts from './texts.ts'
import { showQueue } from './use-queue.tsx'

const words = texts.clients
const { columns: heads } = words
const SHOWN = 8
const COLOURS: Readonly<Record<ClientNow['state'], TagColour>> = {
  active: 'green',
  reducing: 'yellow',
  halted: 'red',
  stopped: 'red',
  expired: 'gray',
}
/** From here on a part is worth a look. */
const ALARMING_PERCENT = 50

interface Ending {
  readonly way: 'halted' | 'stopped'
  readonly client: ClientNow
}

/** Who asks for what, and the buttons that end it. */
export function ClientsCard({ clients }: Pick<Operations, 'clients'>) {
  const [isWhole, setWhole] = useState(false)
  const [ending, setEnding] = useState<Ending | undefined>(() => interruptedStop(clients))
  const held = useHeldOrder(clients, ({ id }) => id)
  const total = clients.reduce((sum, { waiting }) => sum + waiting, 0)
  const columns = useMemo(() => columnsOf(total, setEnding), [total])
  return (
    <Card title={words.title} description={words.description}>
      <RowsTable
        label={words.title}
        columns={columns}
        rows={isWhole ? held.rows : held.rows.slice(0, SHOWN)}
        keyOf={({ id }) => id}
        events={held.events}
        isNested
        empty={
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
        }
      />
      {clients.length > SHOWN && !isWhole && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setWhole(true)}>
          {words.showAll(clients.length)}
        </Button>
      )}
      {ending && (
        <StopDialog
          of={{ client: ending.client }}
          way={ending.way}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Card>
  )
}

/** The stop that was being written when the session ended. */
function interruptedStop(clients: readonly ClientNow[]): Ending | undefined {
  const client = clients.find((each) => isStopUnsent({ client: each }))
  return client && { way: 'stopped', client }
}

function columnsOf(total: number, onEnd: (ending: Ending) => void): readonly Column<ClientNow>[] {
  return columnsFrom<ClientNow>(heads, {
    client: { isRowHeader: true, cell: (client) => <Name {...client} /> },
    waiting: { width: '82px', cell: (client) => <Waiting {...client} total={total} /> },
    rate: {
      width: '84px',
      cell: (client) => (
        <>
          <span>{formatCount(client.requestsLastMinute)}</span>
          <Failed {...client} />
        </>
      ),
    },
    limit: { width: '116px', cell: (client) => <NearestLimit {...client} /> },
    seen: { width: '104px', className: classes.cut ?? '', cell: (client) => <Seen {...client} /> },
    actions: {
      isActions: true,
      width: '1px',
      className: classes.actions ?? '',
      cell: (client) => <Actions client={client} onEnd={(way) => onEnd({ way, client })} />,
    },
  })
}

function Name({ id, clientId, active, state, stoppedAt, stopReason }: ClientNow) {
  return (
    <>
      <span className={classes.line}>
        <ClientLink id={id} clientId={clientId} />
        {state !== 'active' && <Tag colour={COLOURS[state]}>{words.states[state]}</Tag>}
        {!active && <Tag colour="gray">{words.off}</Tag>}
      </span>
      {stoppedAt !== null && (
        <small title={stopReason ?? undefined}>
          <Ago of={stoppedAt} isRough what={stopReason} />
        </small>
      )}
    </>
  )
}

function Seen({ lastSeenAt, lastAddress }: ClientNow) {
  return (
    <>
      {lastSeenAt === null ? <span>{words.never}</span> : <Ago of={lastSeenAt} isRough />}
      {lastAddress !== null && <small title={lastAddress}>{lastAddress}</small>}
    </>
  )
}

interface ActionsProps {
  readonly client: ClientNow
  readonly onEnd: (way: Ending['way']) => void
}

function Actions({ client, onEnd }: ActionsProps) {
  const { clientId, state } = client
  const resuming = useResuming()
  const isStopped = state === 'stopped'
  return (
    <>
      {isStopped || state === 'halted' ? (
        <RowButton
          endpoint={resumeClient}
          name={words.resumeOf(clientId)}
          onClick={() => void resuming.client(client)}
        >
          {words.resume}
        </RowButton>
      ) : (
        <RowButton
          endpoint={changeClientLimits}
          name={words.haltOf(clientId)}
          onClick={() => onEnd('halted')}
        >
          {words.halt}
        </RowButton>
      )}
      {!isStopped && (
        <RowButton
          endpoint={stopClient}
          name={words.stopOf(clientId)}
          isDangerous
          onClick={() => onEnd('stopped')}
        >
          {words.stop}
        </RowButton>
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
    </>
  )
}

/** How much of all that waits is one client's; leads to its entries. */
function Waiting({ waiting, total, clientId }: ClientNow & { readonly total: number }) {
  if (waiting === 0) return <span>{formatCount(0)}</span>
  const percent = Math.round((waiting * 100) / total)
  return (
    <>
      <Anchor
        component="button"
        type="button"
        fz="inherit"
        fw={600}
        aria-label={words.showQueue(waiting, clientId)}
        onClick={() => showQueue(clientId)}
      >
        {formatCount(waiting)}
      </Anchor>
      <small data-alarming={percent >= ALARMING_PERCENT && total > 1}>{words.share(percent)}</small>
    </>
  )
}

function Failed({ requestsLastMinute, failedLastMinute }: ClientNow) {
  if (failedLastMinute === 0) return null
  // Responses of this minute may belong to requests that arrived before it.
  const percent = Math.round((failedLastMinute * 100) / requestsLastMinute)
  return (
    <small data-alarming={percent >= ALARMING_PERCENT}>
      {percent > 100 ? words.failedCount(failedLastMinute) : words.failed(percent)}
    </small>
  )
}

function NearestLimit({ nearestLimit, wouldHaveRefused }: ClientNow) {
  if (wouldHaveRefused != null) return <span>{shadowWords(wouldHaveRefused)}</span>
  if (nearestLimit === null) return <span>{words.noLimit}</span>
  const { name, use, percent } = nearestUse(nearestLimit)
  return (
    <>
      <span>{name}</span>
      <small data-alarming={percent >= NEAR_PERCENT}>{use}</small>
    </>
  )
}
