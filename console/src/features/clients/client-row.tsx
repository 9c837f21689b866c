import { Badge, Button, Text, TextInput } from '@mantine/core'
import { memo } from 'react'
import type { ApiKey } from 'schema'
import { deleteClient, updateClient } from 'schema'
import { RoleOnly } from '../../api/role-only.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { ShortText } from '../../components/short-text.tsx'
import { ActiveSwitch } from './active-switch.tsx'
import { STATE_COLOURS } from './client-badges.tsx'
import { ClientKeys } from './client-keys.tsx'
import classes from './client-list.module.css'
import * as limitsTexts from './limits-texts.ts'
import { PermissionTags } from './permission-tags.tsx'
import { SecretField } from './secret-field.tsx'
import { previewOf } from './secret-preview.ts'
import * as texts from './texts.ts'
import type { ClientRecord } from './use-clients.ts'

interface ClientRowProps {
  readonly client: ClientRecord
  /** Exchange keys of all clients; undefined while they are not known. */
  readonly keys: readonly ApiKey[] | undefined
  /** The secret when it was made during this visit. */
  readonly freshSecret: string | undefined
  readonly onToggled: (client: ClientRecord) => void
  readonly onEdit: (client: ClientRecord) => void
  readonly onDelete: (client: ClientRecord) => void
}

/** The id of a row's delete button, where the keyboard goes after a deletion. */
export const deleteButtonId = (id: number) => `delete-client-${id}`

/** A dialog that opens above a long list draws none of its rows again. */
export const ClientRow = memo(function ClientRow({
  client,
  keys,
  freshSecret,
  onToggled,
  onEdit,
  onDelete,
}: ClientRowProps) {
  const { id, clientId, description, isActive, createdAt, state } = client
  return (
    <li className={classes.row}>
      <div className={classes.head}>
        <span className={classes.id}>
          <ShortText text={clientId} href={`/client-credentials/${id}`} />
        </span>
        <Badge variant="light" color={isActive ? 'green' : 'gray'}>
          {isActive ? texts.row.active : texts.row.inactive}
        </Badge>
        {state !== undefined && state !== 'active' && (
          <Badge variant="light" color={STATE_COLOURS[state]}>
            {limitsTexts.states[state]}
          </Badge>
        )}
        <PermissionTags permissions={client.permissions} />
        {freshSecret !== undefined && <Badge variant="light">{texts.row.isNew}</Badge>}
        <div className={classes.actions} data-screen-only>
          <ActiveSwitch client={client} onToggled={onToggled} />
          <RoleOnly endpoint={updateClient}>
            <Button
              variant="default"
              size="xs"
              aria-label={texts.of.edit(clientId)}
              onClick={() => onEdit(client)}
            >
              {texts.row.edit}
            </Button>
          </RoleOnly>
          <RoleOnly endpoint={deleteClient}>
            <Button
              id={deleteButtonId(id)}
              color="red"
              variant="light"
              size="xs"
              aria-label={texts.of.remove(clientId)}
              onClick={() => onDelete(client)}
            >
              {texts.row.remove}
            </Button>
          </RoleOnly>
        </div>
      </div>
      <Text fz="sm" c="dimmed" mt={2} style={{ overflowWrap: 'anywhere' }}>
        {description && <span>{`${description} · `}</span>}
        <span>{texts.row.created(formatDateTime(createdAt))}</span>
      </Text>
      <ClientKeys client={client} keys={keys} />
      <div className={classes.fields} data-screen-only>
        <TextInput
          label={texts.clientId}
          size="xs"
          readOnly
          value={clientId}
          aria-label={texts.of.clientId(clientId)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          rightSection={
            <CopyButton
              value={clientId}
              label={texts.clientId}
              name={texts.of.copyClientId(clientId)}
            />
          }
        />
        <SecretField
          clientId={clientId}
          secret={client.clientSecret ?? freshSecret}
          preview={previewOf(client)}
        />
      </div>
    </li>
  )
})
