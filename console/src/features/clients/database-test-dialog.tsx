import { Alert, Badge, Button, Group, Modal, Stack } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { QueryView } from '../../api/queries.tsx'
import { showDialog } from '../../components/dialogs.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Details, PageSpinner } from '../../components/page.tsx'
import { switchId } from './client-list.tsx'
import { previewOf } from './client-secret.tsx'
import { PermissionTags } from './permissions.tsx'
import * as texts from './texts.ts'
import { type ClientRecord, useClients } from './use-clients.ts'

const words = texts.databaseTest
const { rows } = words

interface DatabaseTestDialogProps {
  /** Database id of the client to show. */
  readonly id: number
  readonly onClose: () => void
}

/** The client as the server has it now: the list is read again since the client was switched. */
function DatabaseTestDialog({ id, onClose }: DatabaseTestDialogProps) {
  const clients = useClients()
  // Old data would hide that the fresh read failed.
  const { isReading, error } = clients
  const fresh = isReading || error !== undefined ? { ...clients, data: undefined } : clients
  const query = isReading ? { ...fresh, error: undefined } : fresh
  return (
    <Modal opened onClose={onClose} title={words.title} centered returnFocus={false}>
      <Stack>
        <QueryView query={query} what={words.what} loading={<PageSpinner label={words.loading} />}>
          {(all) => <FreshClient client={all.find((row) => row.id === id)} />}
        </QueryView>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {words.close}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function FreshClient({ client }: { readonly client: ClientRecord | undefined }) {
  if (client === undefined) return <Alert color="yellow">{words.gone}</Alert>
  const { id, clientId, createdAt, description, isActive, permissions } = client
  const status = (
    <Badge key="status" variant="light" color={isActive ? 'green' : 'gray'}>
      {isActive ? words.active : words.inactive}
    </Badge>
  )
  const may = permissions && <PermissionTags key="may" permissions={permissions} inFull />
  return (
    <>
      <Details
        rows={[
          [rows.clientId, clientId],
          [rows.id, id],
          [rows.created, formatDateTime(createdAt)],
          [rows.description, description || texts.noDescription],
          [rows.status, status],
          ...(may === undefined ? [] : [[rows.permissions, may] as const]),
          [rows.secret, previewOf(client)],
        ]}
      />
      <Alert variant="light" color={isActive ? 'green' : 'yellow'}>
        {isActive ? words.canCall : words.isBlocked}
      </Alert>
    </>
  )
}

/** From the response to the switch until the dialog opens (console-checklist.md, 115). */
const DELAY_MS = 500

/** What shows the Database Test of a client. A later switch replaces an earlier one's dialog. */
export function useDatabaseTest() {
  // The same at each render: the rows of a long list depend on it.
  return useDebouncedCallback(({ id }: ClientRecord) => {
    showDialog((close) => (
      <DatabaseTestDialog
        id={id}
        onClose={() => {
          close()
          // The switch was disabled in between, so the dialog could not know where the keyboard
          // came from.
          document.getElementById(switchId(id))?.focus()
        }}
      />
    ))
  }, DELAY_MS)
}
