import { Alert, Stack } from '@mantine/core'
import { useDeferredValue, useEffect, useState } from 'react'
import { QueryView } from '../../api/query-view.tsx'
import { hasUnsent } from '../../api/use-unsent-form.tsx'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icons.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { ClientList } from './client-list.tsx'
import { deleteButtonId } from './client-row.tsx'
import classes from './clients-page.module.css'
import { CreateClientForm, type NewSecret } from './create-client-form.tsx'
import { DatabaseTestDialog } from './database-test-dialog.tsx'
import { DeleteClientDialog } from './delete-client-dialog.tsx'
import { EditClientDialog, editForm } from './edit-client-dialog.tsx'
import { SecretOnceDialog } from './secret-once-dialog.tsx'
import * as texts from './texts.ts'
import { UsageCard } from './usage-card.tsx'
import { type ClientRecord, useClients, useKeysOfClients } from './use-clients.ts'
import { useDatabaseTest } from './use-database-test.ts'

export default function ClientsPage() {
  const clients = useClients()
  // The keys redraw every row: a phone answers between the steps of that.
  const keys = useDeferredValue(useKeysOfClients().data)
  const databaseTest = useDatabaseTest()
  const [toDelete, setToDelete] = useState<ClientRecord | null>(null)
  const [toEdit, setToEdit] = useState<ClientRecord | null>(null)
  const [created, setCreated] = useState<NewSecret | null>(null)
  // In the memory of this page only: gone with it, with a reload, with the session.
  const [freshSecrets, setFreshSecrets] = useState<ReadonlyMap<string, string>>(new Map())

  useEffect(() => {
    const interrupted = clients.data?.find((client) => hasUnsent(editForm(client)))
    if (interrupted !== undefined) setToEdit(interrupted)
  }, [clients.data])

  const keepSecret = (secret: NewSecret) => {
    setCreated(secret)
    setFreshSecrets(new Map(freshSecrets).set(secret.clientId, secret.clientSecret))
  }
  const focusAfterDeletion = (deleted: ClientRecord) => {
    const rows = clients.data ?? []
    const next = rows[rows.findIndex(({ id }) => id === deleted.id) + 1]
    const target = next && document.getElementById(deleteButtonId(next.id))
    const fallback = document.querySelector<HTMLElement>('#main h1')
    requestAnimationFrame(() => {
      // Cancelled while under way, the person may be at something else by now.
      if (document.activeElement === document.body) (target ?? fallback)?.focus()
    })
  }

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Stack gap="lg">
        <div className={classes.top} data-screen-only>
          <Card title={texts.form.title}>
            <CreateClientForm onCreated={keepSecret} />
            <Alert variant="light" color="yellow" icon={<Icon name="shield" />} mt="lg">
              {texts.security}
            </Alert>
          </Card>
          <UsageCard />
        </div>
        <QueryView query={clients} what={texts.what}>
          {(rows) => (
            <ClientList
              rows={rows}
              keys={keys}
              isReading={clients.isReading}
              readAtMs={clients.readAtMs}
              hasFailed={clients.error !== undefined}
              freshSecrets={freshSecrets}
              onRefresh={() => void clients.refresh()}
              onToggled={databaseTest.openSoon}
              onEdit={setToEdit}
              onDelete={setToDelete}
            />
          )}
        </QueryView>
      </Stack>
      {databaseTest.openId !== null && (
        <DatabaseTestDialog
          id={databaseTest.openId}
          clients={clients}
          onClose={databaseTest.close}
        />
      )}
      {toEdit !== null && <EditClientDialog client={toEdit} onClose={() => setToEdit(null)} />}
      {toDelete !== null && (
        <DeleteClientDialog
          client={toDelete}
          onDeleted={() => focusAfterDeletion(toDelete)}
          onClose={() => setToDelete(null)}
        />
      )}
      {created !== null && <SecretOnceDialog created={created} onDone={() => setCreated(null)} />}
    </>
  )
}
