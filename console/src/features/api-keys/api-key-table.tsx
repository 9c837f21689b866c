import { ActionIcon, Anchor, Button, VisuallyHidden } from '@mantine/core'
import { useMemo } from 'react'
import { type ApiKey, deleteApiKey, EXCHANGE_NAMES, type ListedClient, testApiKey } from 'schema'
import { Link } from 'wouter'
import { RoleOnly } from '../../api/role.tsx'
import { expiryOf, formatDate, formatDateTime } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import {
  columnsFrom,
  compareText,
  RowsTable,
  readSort,
  writeSort,
} from '../../components/rows-table.tsx'
import { ExplainedText, shorten } from '../../components/short-text.tsx'
import { Tag } from '../../components/signs.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import classes from './api-keys.module.css'
import * as texts from './texts.ts'

interface ApiKeyTableProps {
  readonly rows: readonly ApiKey[]
  /** Undefined while they are not known. */
  readonly clients: readonly ListedClient[] | undefined
  readonly onTest: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

/** One row per client and exchange. The functions must be the same at each render. */
export function ApiKeyTable({ rows, clients, onTest, onDelete }: ApiKeyTableProps) {
  const [sort, setSort] = useAddressParam('sort')
  const columns = useMemo(
    () => columnsOf({ clients, onTest, onDelete }),
    [clients, onTest, onDelete],
  )
  return (
    <RowsTable
      label={texts.table.title}
      columns={columns}
      rows={rows}
      keyOf={({ exchange, clientId }) => `${exchange} ${clientId}`}
      sort={readSort(sort, SORTED)}
      onSort={(next) => setSort(writeSort(next))}
    />
  )
}

const SORTED = ['client', 'exchange', 'status', 'created'] as const
const isWorking = ({ testStatus }: ApiKey) => Number(testStatus === 'success')

function columnsOf({ clients, onTest, onDelete }: Omit<ApiKeyTableProps, 'rows'>) {
  const ids = new Map(clients?.map(({ clientId, id }) => [clientId, id]))
  return columnsFrom<ApiKey>(texts.table.columns, {
    client: {
      ...{ card: 'line', className: classes.client ?? '' },
      compare: (a, b) => compareText(a.clientId, b.clientId),
      cell: ({ clientId }) => <ClientLink clientId={clientId} id={ids.get(clientId)} />,
    },
    note: {
      ...{ card: 'plain', className: classes.note ?? '' },
      cell: ({ note }) => note || <span className={classes.none}>{texts.table.noNote}</span>,
    },
    exchange: {
      card: 'plain',
      compare: (a, b) => compareText(EXCHANGE_NAMES[a.exchange], EXCHANGE_NAMES[b.exchange]),
      cell: ({ exchange, accountKind }) => (
        <>
          <Tag colour={exchange === 'mx' ? 'blue' : 'green'}>{EXCHANGE_NAMES[exchange]}</Tag>
          {/* A gateway older than this console sends no kind. */}
          {accountKind && <ExplainedText {...texts.accountKinds[accountKind]} />}
        </>
      ),
    },
    status: {
      ...{ card: 'line', className: classes.state ?? '' },
      // What needs work first.
      compare: (a, b) => isWorking(a) - isWorking(b),
      cell: (key) => <Status apiKey={key} onTest={onTest} />,
    },
    credentials: { card: 'line', cell: (key) => <Flags apiKey={key} /> },
    created: {
      ...{ card: 'plain', isDescendingFirst: true, className: classes.created ?? '' },
      compare: (a, b) => (Date.parse(a.createdAt) || 0) - (Date.parse(b.createdAt) || 0),
      cell: ({ createdAt, expiresAt }) => (
        <>
          <span title={formatDateTime(createdAt)}>{formatDate(createdAt)}</span>
          <KeyExpiry expiresAt={expiresAt} />
        </>
      ),
    },
    actions: {
      ...{ isActions: true, className: classes.actions ?? '' },
      cell: (key) => <Actions apiKey={key} onDelete={onDelete} />,
    },
  })
}

interface ClientLinkProps {
  readonly clientId: string
  readonly id: number | undefined
}

/** To its own page; to the list, searched for it, while its record is not known. */
function ClientLink({ clientId, id }: ClientLinkProps) {
  const short = shorten(clientId)
  return (
    <Anchor
      component={Link}
      href={`/client-credentials${id === undefined ? `?${new URLSearchParams({ q: clientId })}` : `/${id}`}`}
      fz="inherit"
      fw={600}
      aria-label={clientId}
      title={short === clientId ? undefined : clientId}
    >
      {short}
    </Anchor>
  )
}

interface RowProps {
  readonly apiKey: ApiKey
}

/**
 * The outcome of the last test; everything but success counts as failure, and the words beside or
 * below it say which kind.
 */
function Status({ apiKey, onTest }: RowProps & Pick<ApiKeyTableProps, 'onTest'>) {
  const { clientId, exchange, testStatus, testMessage, isReadable, canWithdraw } = apiKey
  const { table } = texts
  const hasPassed = testStatus === 'success'
  const isUntested = !hasPassed && testStatus !== 'failure'
  const reason = isReadable === false ? table.unreadable : testStatus === 'failure' && testMessage
  return (
    <>
      <span className={classes.status}>
        <Tag colour={hasPassed ? 'green' : 'red'}>{hasPassed ? table.success : table.failure}</Tag>
        {isUntested && <span className={classes.none}>{table.untested}</span>}
        <RoleOnly endpoint={testApiKey}>
          <Button
            variant="default"
            size="compact-xs"
            aria-label={texts.row.test(EXCHANGE_NAMES[exchange], clientId)}
            onClick={() => onTest(apiKey)}
          >
            {texts.row.testLabel}
          </Button>
        </RoleOnly>
      </span>
      {reason && (
        <span className={classes.reason} title={reason}>
          {reason}
        </span>
      )}
      {/* A gateway older than this console does not send it. */}
      {canWithdraw === null && <ExplainedText {...table.withdrawalUnknown} />}
      {canWithdraw && <ExplainedText {...table.withdraws} isAlarming />}
    </>
  )
}

/** Which parts of the keys are stored; a passphrase only exists at Bitget. */
function Flags({ apiKey }: RowProps) {
  const { hasApiKey, hasApiSecret, hasPassphrase, exchange } = apiKey
  const { key, secret, passphrase, stored, missing } = texts.flags
  const flags = [
    [key, hasApiKey],
    [secret, hasApiSecret],
    ...(exchange === 'bg' ? [[passphrase, hasPassphrase] as const] : []),
  ] as const
  return (
    <span className={classes.flags}>
      {flags.map(([label, isStored]) => (
        <span key={label} className={classes.flag} data-stored={isStored}>
          <span aria-hidden="true">{isStored ? '✓' : '–'}</span>
          <span>
            {label}
            <VisuallyHidden component="span"> {isStored ? stored : missing}</VisuallyHidden>
          </span>
        </span>
      ))}
    </span>
  )
}

/** When the keys expire; nothing when they do not, or when that is unknown. */
function KeyExpiry({ expiresAt }: Pick<ApiKey, 'expiresAt'>) {
  const expiry = expiryOf(expiresAt, Date.now())
  if (expiresAt === null || expiry === undefined) return null
  const explanation = texts.table.expiresAt(formatDateTime(expiresAt))
  return <ExplainedText text={expiry.text} explanation={explanation} isAlarming={expiry.isSoon} />
}

function Actions({ apiKey, onDelete }: RowProps & Pick<ApiKeyTableProps, 'onDelete'>) {
  const { clientId, exchange } = apiKey
  const logs = texts.row.logs(clientId)
  const remove = texts.row.remove(EXCHANGE_NAMES[exchange], clientId)
  return (
    <>
      <ActionIcon
        component={Link}
        href={`/logs?${new URLSearchParams({ client: clientId })}`}
        variant="subtle"
        color="gray"
        aria-label={logs}
        title={logs}
      >
        <Icon name="activity" />
      </ActionIcon>
      <RoleOnly endpoint={deleteApiKey}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={remove}
          title={remove}
          onClick={() => onDelete(apiKey)}
        >
          <Icon name="trash" />
        </ActionIcon>
      </RoleOnly>
    </>
  )
}
