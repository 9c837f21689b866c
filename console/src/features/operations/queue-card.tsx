import { Button, Skeleton } from '@mantine/core'
import { lazy, Suspense, useMemo, useState } from 'react'
import {
  dropQueueEntry,
  dropQueueOfClient,
  EXCHANGE_NAMES,
  type ExchangeNow,
  type Operations,
  type QueueEntry,
} from 'schema'
import { newRequestWords } from '../../api/exchange-state.ts'
import { NoMatch } from '../../api/list-tools.tsx'
import { QueryView } from '../../api/queries.tsx'
import { RoleOnly, useRefusal } from '../../api/role.tsx'
import { formatDuration } from '../../components/format.ts'
import { Card, EmptyNote, PageLink, Quiet } from '../../components/page.tsx'
import { type Column, columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { MiddleCut } from '../../components/short-text.tsx'
import { Tag, type TagColour } from '../../components/signs.tsx'
import { useActions } from '../../components/use-actions.ts'
import { changeAddress } from '../../components/use-address-param.ts'
import classes from './operations.module.css'
import { RowButton, useHeldOrder } from './parts.tsx'
import * as texts from './texts.ts'
import { clientsOf, filterQueue, useDropping, useQueue, useQueueFilter } from './use-queue.tsx'

// Its lists of choices are a tenth of the page's script, and needed where requests wait.
const QueueFilters = lazy(() => import('./queue-filters.tsx'))

const words = texts.queue
const { columns: heads } = words
const FIRST = 8
const STEP = 100
const COLOURS: Readonly<Record<QueueEntry['requestClass'], TagColour>> = {
  cancel: 'yellow',
  lookup: 'gray',
  order: 'green',
  account: 'blue',
  market: 'gray',
}

/** The waiting entries in the order in which they are sent, and what drops them. */
export function QueueCard({ exchanges, clients }: Pick<Operations, 'exchanges' | 'clients'>) {
  const size = exchanges.reduce((sum, { queueSize }) => sum + queueSize, 0)
  const query = useQueue()
  return (
    <Card title={words.title(size)} description={words.description}>
      <QueryView query={query} what={words.what}>
        {(entries) => <Entries {...{ entries, size, exchanges, clients }} />}
      </QueryView>
    </Card>
  )
}

interface EntriesProps extends Pick<Operations, 'exchanges' | 'clients'> {
  readonly entries: readonly QueueEntry[]
  /** How many wait; not all of them may be listed. */
  readonly size: number
}

function Entries({ entries, size, exchanges, clients }: EntriesProps) {
  const filter = useQueueFilter()
  const [shown, setShown] = useState(FIRST)
  const { drop } = useDropping()
  const columns = useMemo(() => columnsOf(drop), [drop])
  const matching = filterQueue(entries, filter)
  const held = useHeldOrder(matching, keyOf)
  const isFiltered = Object.values(filter).some((value) => value !== '')
  if (entries.length === 0 && !isFiltered)
    return <EmptyNote icon="check" title={words.empty} hint={emptyHint(exchanges)} />
  return (
    <>
      <Suspense fallback={<Skeleton height={30} mb="xs" />}>
        <QueueFilters entries={entries} filter={filter} />
      </Suspense>
      <DropAll entries={entries} clients={clients} chosen={filter.client} />
      <RowsTable
        label={words.label}
        columns={columns}
        rows={held.rows.slice(0, shown)}
        keyOf={keyOf}
        events={held.events}
        isNested
        empty={
          <NoMatch
            title={words.noMatch}
            onClear={() => changeAddress({ exchange: '', class: '', client: '' })}
          />
        }
      />
      {matching.length > 0 && (
        <Quiet fz="xs" mt="xs">
          <span>{words.showing(Math.min(shown, matching.length), matching.length)}</span>
          {entries.length < size && <span>{` ${words.cut}`}</span>}
        </Quiet>
      )}
      {shown < matching.length && (
        <Button
          variant="default"
          size="xs"
          mt="xs"
          onClick={() => setShown((count) => count + STEP)}
        >
          {words.more(Math.min(STEP, matching.length - shown))}
        </Button>
      )}
    </>
  )
}

interface DropAllProps extends Pick<EntriesProps, 'entries' | 'clients'> {
  /** The client by which the list is filtered; '' for all. */
  readonly chosen: string
}

/** Drops all that waits of the chosen client; the palette offers it for each client. */
function DropAll({ entries, clients, chosen }: DropAllProps) {
  const { dropClient } = useDropping()
  const mayDrop = useRefusal(dropQueueOfClient) === undefined
  const count = entries.filter(({ clientId }) => clientId === chosen).length
  const drop = (clientId: string) => {
    const id = clients.find((each) => each.clientId === clientId)?.id
    const own = entries.filter((entry) => entry.clientId === clientId)
    void dropClient(clientId, id, own)
  }
  useActions(() =>
    clientsOf(entries).map(([clientId, waiting]) => ({
      ...{ label: words.dropAll(waiting, clientId), does: words.dropAllDoes, when: mayDrop },
      ...{ run: () => drop(clientId), isOfRow: clientId !== chosen },
    })),
  )
  if (count === 0) return null
  return (
    <RoleOnly endpoint={dropQueueOfClient}>
      <Button size="xs" color="red" variant="outline" mb="xs" onClick={() => drop(chosen)}>
        {words.dropAll(count, chosen)}
      </Button>
    </RoleOnly>
  )
}

const keyOf = ({ exchange, id }: QueueEntry) => `${exchange} ${id}`
const placeOf = ({ exchange, position }: QueueEntry) => `${EXCHANGE_NAMES[exchange]} ${position}`

function columnsOf(onDrop: (entry: QueueEntry) => void): readonly Column<QueueEntry>[] {
  return columnsFrom<QueueEntry>(heads, {
    position: { isRowHeader: true, width: '72px', cell: placeOf },
    call: {
      card: 'line',
      className: classes.cut ?? '',
      cell: (entry) => (
        <>
          <span className={classes.line} title={entry.clientId}>
            <Tag colour={COLOURS[entry.requestClass]}>{texts.classes[entry.requestClass]}</Tag>
            <MiddleCut text={entry.clientId} />
          </span>
          <small className={classes.line} title={`${entry.method} ${entry.endpoint}`}>
            <OrderName entry={entry} />
            <span className={classes.call}>{`${entry.method} ${entry.endpoint}`}</span>
          </small>
        </>
      ),
    },
    waited: {
      width: '92px',
      cell: ({ waitedMs, remainingMs }) => (
        <>
          <span>{formatDuration(waitedMs)}</span>
          <small>{words.givesUp(formatDuration(remainingMs))}</small>
        </>
      ),
    },
    expected: { width: '62px', cell: ({ expectedWaitMs }) => formatDuration(expectedWaitMs) },
    drop: {
      isActions: true,
      width: '1px',
      className: classes.actions ?? '',
      cell: (entry) => (
        <RowButton
          endpoint={dropQueueEntry}
          name={words.dropName(placeOf(entry), entry.clientId)}
          onClick={() => onDrop(entry)}
        >
          {words.drop}
        </RowButton>
      ),
    },
  })
}

/** The order that an entry places, changes or cancels; leads to its life. */
function OrderName({ entry }: { readonly entry: QueueEntry }) {
  const { requestClass, requestId, clientOrderId, orderId } = entry
  if (requestClass !== 'order' && requestClass !== 'cancel') return null
  const name = clientOrderId ?? orderId
  return (
    <PageLink
      href={`/orders/${encodeURIComponent(requestId)}`}
      fz="inherit"
      className={classes.order ?? ''}
      title={name ?? undefined}
      aria-label={words.orderName(name, placeOf(entry))}
    >
      {name ?? words.order}
    </PageLink>
  )
}

/** What becomes of a new request: in one sentence where it is the same at all exchanges. */
function emptyHint(exchanges: readonly ExchangeNow[]): string {
  const all = exchanges.map(newRequestWords)
  const [first = ''] = all
  if (all.every((each) => each === first)) return first
  return exchanges
    .map((each) => words.emptyOf(EXCHANGE_NAMES[each.exchange], newRequestWords(each)))
    .join(' ')
}
