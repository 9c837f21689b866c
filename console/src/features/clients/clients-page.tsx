import { Alert, Badge, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { type ApiKey, EXCHANGES, listApiKeys } from 'schema'
import { QueryView, useOperationsOfStrip, useQuery } from '../../api/queries.tsx'
import { EndingNote } from '../../api/stop-progress.tsx'
import { hasUnsent } from '../../api/use-unsent-form.tsx'
import { confirm } from '../../components/confirm.tsx'
import { showDialog } from '../../components/dialogs.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Details, PageHeader, PageSpinner } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { ClientList, deleteButtonId, type RowActs, switchId } from './client-list.tsx'
import { previewOf, SecretOnceDialog } from './client-secret.tsx'
import { CreateClientForm, EditClientDialog, editForm } from './create-client-form.tsx'
import { PermissionTags } from './permissions.tsx'
import * as texts from './texts.ts'
import { type ClientRecord, type Clients, type NewSecret, useClients } from './use-clients.ts'

export default function ClientsPage() {
  const clients = useClients()
  // The keys redraw every row: a phone answers between the steps of that.
  const keys = useDeferredValue(useQuery(listApiKeys).data)
  const exchanges = useMemo(() => keys && exchangesOf(keys), [keys])
  const seenAt = useSeen()
  const testSoon = useDatabaseTest()
  // In the memory of this page only: gone with it, with a reload, with the session.
  const [freshSecrets, setFreshSecrets] = useState<ReadonlyMap<string, string>>(new Map())

  const { toggle, update, remove } = clients
  const acts: RowActs = useMemo(
    () => ({
      ...{ toggle, onToggled: testSoon },
      onEdit: (client) =>
        showDialog((close) => <EditClientDialog {...{ client, update }} onClose={close} />),
      onDelete: (client) => void deleteAfterQuestions(client, remove),
    }),
    [toggle, update, remove, testSoon],
  )
  useEffect(() => {
    const interrupted = clients.data?.find((client) => hasUnsent(editForm(client)))
    if (interrupted !== undefined) acts.onEdit(interrupted)
  }, [clients.data, acts])

  const keepSecret = (created: NewSecret) => {
    showDialog((close) => <SecretOnceDialog created={created} isNew onDone={close} />)
    setFreshSecrets(new Map(freshSecrets).set(created.clientId, created.clientSecret))
  }
  return (
    <>
      <PageHeader title={texts.title} />
      <Stack gap="sm">
        <CreateClientForm
          create={clients.create}
          isFirst={clients.data?.length === 0}
          onCreated={keepSecret}
        />
        <QueryView query={clients} what={texts.what}>
          {(rows) => <ClientList {...{ clients, rows, exchanges, seenAt, freshSecrets, acts }} />}
        </QueryView>
      </Stack>
    </>
  )
}

/** When clients were last seen, as far as the header's strip has read it. */
function useSeen(): ReadonlyMap<number, string> {
  const clients = useOperationsOfStrip().data?.clients
  return useMemo(
    () =>
      new Map(
        clients?.flatMap(({ id, lastSeenAt }) => (lastSeenAt === null ? [] : [[id, lastSeenAt]])),
      ),
    [clients],
  )
}

/** Where each client has keys, joined: a row is drawn again only when that changes. */
function exchangesOf(keys: readonly ApiKey[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const code of EXCHANGES)
    for (const { clientId, exchange } of keys)
      if (exchange === code) found.set(clientId, [found.get(clientId), code].join(' ').trim())
  return found
}

/** Two questions, one after the other: what will be lost, then of which client. */
async function deleteAfterQuestions(
  { id, clientId }: ClientRecord,
  remove: Clients['remove'],
): Promise<void> {
  const row = document.getElementById(deleteButtonId(id))?.closest('li')
  const next = row?.nextElementSibling?.querySelector<HTMLElement>(`[id^="${deleteButtonId('')}"]`)
  const { items, consequence, ...first } = texts.confirmFirst
  const isSure = await confirm({
    ...{ title: first.title, label: first.confirm },
    text: (
      <>
        <Text fz="sm">{first.text}</Text>
        <Text component="ul" fz="sm" my={0} pl="lg">
          {items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </Text>
        <Text fz="sm" fw={600}>
          {consequence}
        </Text>
        <EndingNote of={{ client: { id } }} way="deleted" />
      </>
    ),
  })
  if (!isSure) return
  const last = texts.confirmLast
  const isDeleted = await confirm({
    ...{ title: last.title, label: last.confirm, name: `${last.confirm}: ${clientId}` },
    text: (
      <>
        <Text fz="sm">{last.question}</Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {clientId}
        </Code>
        <Text fz="sm" fw={600}>
          {last.lastChance}
        </Text>
      </>
    ),
    act: async () => {
      await remove({ params: { id } })
      toast({ title: texts.deleted.title, message: texts.deleted.text })
    },
  })
  if (isDeleted && next) focusAfterDialog(next)
}

/** The dialog gives the keyboard to the heading, as its button is gone with the row. */
function focusAfterDialog(target: HTMLElement): void {
  requestAnimationFrame(() => {
    const { activeElement } = document
    if (document.querySelector('[role="dialog"]') !== null) focusAfterDialog(target)
    else if (activeElement === document.body || activeElement?.tagName === 'H1') target.focus()
  })
}

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
function useDatabaseTest() {
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
