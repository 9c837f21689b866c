import { Button, Text } from '@mantine/core'
import { useCallback, useState } from 'react'
import type { ApiKey } from 'schema'
import { saveApiKey } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { hasUnsent } from '../../api/use-unsent-form.tsx'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icons.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { ReadTime } from '../../components/read-time.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import { AddApiKeyDialog } from './add-api-key-dialog.tsx'
import { ApiKeyFilters } from './api-key-filters.tsx'
import { ApiKeyList } from './api-key-list.tsx'
import { DeleteApiKeyDialog } from './delete-api-key-dialog.tsx'
import type { KeyPlace } from './key-place.ts'
import { TestApiKeyDialog } from './test-api-key-dialog.tsx'
import * as texts from './texts.ts'
import { ADD_FORM } from './use-add-api-key-form.ts'
import { useApiKeys, useKeyClients } from './use-api-keys.ts'

/** The dialog that is open over the page; at most one at a time. */
type Open =
  | { readonly dialog: 'add' }
  | { readonly dialog: 'test'; readonly key: KeyPlace; readonly isStarted: boolean }
  | { readonly dialog: 'delete'; readonly key: ApiKey }

export default function ApiKeysPage() {
  const keys = useApiKeys()
  const clients = useKeyClients()
  const [clientId, setClientId] = useAddressParam('client')
  const [exchange, setExchange] = useAddressParam('exchange')
  const [open, setOpen] = useState<Open | null>(() =>
    hasUnsent(ADD_FORM) ? { dialog: 'add' } : null,
  )
  // The same for every render: a dialog that opens draws no row anew.
  const askTest = useCallback(
    (key: KeyPlace) => setOpen({ dialog: 'test', key, isStarted: false }),
    [],
  )
  const askDelete = useCallback((key: ApiKey) => setOpen({ dialog: 'delete', key }), [])

  const clientIds = new Set([
    ...(clients.data ?? []).map((client) => client.clientId),
    ...(keys.data ?? []).map((key) => key.clientId),
  ])
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <RoleOnly endpoint={saveApiKey}>
            <Button
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => setOpen({ dialog: 'add' })}
            >
              {texts.add}
            </Button>
          </RoleOnly>
        }
      />
      <Card
        title={texts.table.title}
        actions={
          <>
            <ReadTime atMs={keys.readAtMs} hasFailed={keys.error !== undefined} />
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="refresh" size={14} />}
              disabled={keys.isReading}
              onClick={() => void keys.refresh()}
            >
              {texts.refresh}
            </Button>
          </>
        }
      >
        <ApiKeyFilters
          clientIds={[...clientIds]}
          filter={{ clientId, exchange }}
          onClient={setClientId}
          onExchange={setExchange}
        />
        <QueryView
          query={keys}
          what={texts.what}
          loading={<Text c="dimmed">{texts.table.loading}</Text>}
        >
          {(rows) => (
            <ApiKeyList
              rows={rows}
              clients={clients.data}
              filter={{ clientId, exchange }}
              onClear={() => {
                setClientId('')
                setExchange('')
              }}
              onTest={askTest}
              onDelete={askDelete}
            />
          )}
        </QueryView>
      </Card>
      <OpenDialog open={open} clients={clients} keys={keys} onOpen={setOpen} />
    </>
  )
}

interface OpenDialogProps {
  readonly open: Open | null
  readonly clients: ReturnType<typeof useKeyClients>
  readonly keys: ReturnType<typeof useApiKeys>
  readonly onOpen: (open: Open | null) => void
}

function OpenDialog({ open, clients, keys, onOpen }: OpenDialogProps) {
  const close = () => onOpen(null)
  switch (open?.dialog) {
    case 'add':
      return (
        <AddApiKeyDialog
          clients={clients}
          keys={keys}
          onTest={(key) => onOpen({ dialog: 'test', key, isStarted: true })}
          onClose={close}
        />
      )
    case 'test':
      return <TestApiKeyDialog apiKey={open.key} isStarted={open.isStarted} onClose={close} />
    case 'delete':
      return <DeleteApiKeyDialog apiKey={open.key} onClose={close} />
    default:
      return null
  }
}
