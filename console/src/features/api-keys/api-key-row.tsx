import { ActionIcon, Anchor, Badge, Tooltip } from '@mantine/core'
import { memo } from 'react'
import { type ApiKey, deleteApiKey, EXCHANGE_NAMES, testApiKey } from 'schema'
import { Link } from 'wouter'
import { RoleOnly } from '../../api/role-only.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { Icon } from '../../components/icons.tsx'
import { shorten } from '../../components/shorten.ts'
import { tableRoles } from '../../components/table-roles.ts'
import { AccountKindNote } from './account-kind-note.tsx'
import classes from './api-key-table.module.css'
import { CredentialFlags } from './credential-flags.tsx'
import { KeyExpiry } from './key-expiry.tsx'
import { TestStatus } from './test-status.tsx'
import * as texts from './texts.ts'
import { WithdrawalMark } from './withdrawal-mark.tsx'

interface ApiKeyRowProps {
  readonly apiKey: ApiKey
  /** The record of its client; undefined while the clients are not known. */
  readonly clientRef: number | undefined
  readonly onTest: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

export const ApiKeyRow = memo(function ApiKeyRow({
  apiKey,
  clientRef,
  onTest,
  onDelete,
}: ApiKeyRowProps) {
  const { clientId, exchange, accountKind, note, createdAt, expiresAt } = apiKey
  const logs = texts.row.logs(clientId)
  const test = texts.row.test(EXCHANGE_NAMES[exchange], clientId)
  const remove = texts.row.remove(EXCHANGE_NAMES[exchange], clientId)
  return (
    <tr {...tableRoles.row} className={classes.row}>
      <td {...tableRoles.cell} className={classes.client}>
        <Tooltip label={clientId} disabled={shorten(clientId) === clientId}>
          <Anchor
            component={Link}
            href={addressOf(clientId, clientRef)}
            fz="inherit"
            fw={600}
            aria-label={clientId}
          >
            {shorten(clientId)}
          </Anchor>
        </Tooltip>
      </td>
      <td {...tableRoles.cell} className={classes.note} data-empty={!note}>
        {note || texts.table.noNote}
      </td>
      <td {...tableRoles.cell} className={classes.exchange}>
        <Badge variant="outline" color={exchange === 'mx' ? 'blue' : 'teal'}>
          {EXCHANGE_NAMES[exchange]}
        </Badge>
        <AccountKindNote kind={accountKind} />
      </td>
      <td {...tableRoles.cell} className={classes.status}>
        <TestStatus apiKey={apiKey} />
        <WithdrawalMark canWithdraw={apiKey.canWithdraw} />
      </td>
      <td {...tableRoles.cell} className={classes.flags}>
        <CredentialFlags apiKey={apiKey} />
      </td>
      <td {...tableRoles.cell} className={classes.created}>
        {formatDateTime(createdAt)}
        <KeyExpiry expiresAt={expiresAt} />
      </td>
      <td {...tableRoles.cell} className={classes.actions}>
        <ActionIcon
          component={Link}
          href={`/logs?${new URLSearchParams({ client: clientId })}`}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={logs}
          title={logs}
        >
          <Icon name="activity" />
        </ActionIcon>
        <RoleOnly endpoint={testApiKey}>
          <ActionIcon
            variant="subtle"
            size="lg"
            aria-label={test}
            title={test}
            onClick={() => onTest(apiKey)}
          >
            <Icon name="flask" />
          </ActionIcon>
        </RoleOnly>
        <RoleOnly endpoint={deleteApiKey}>
          <ActionIcon
            variant="subtle"
            color="red"
            size="lg"
            aria-label={remove}
            title={remove}
            onClick={() => onDelete(apiKey)}
          >
            <Icon name="trash" />
          </ActionIcon>
        </RoleOnly>
      </td>
    </tr>
  )
})

/** Its own page; the list, searched for it, while its record is not known. */
const addressOf = (clientId: string, clientRef: number | undefined) =>
  clientRef === undefined
    ? `/client-credentials?${new URLSearchParams({ q: clientId })}`
    : `/client-credentials/${clientRef}`
