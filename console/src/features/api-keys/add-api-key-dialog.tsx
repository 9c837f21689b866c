import { Modal } from '@mantine/core'
import type { ApiKey, Client } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import type { Query } from '../../api/use-query.ts'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { useWhileMounted } from '../../components/use-while-mounted.ts'
import { AddApiKeyForm } from './add-api-key-form.tsx'
import type { KeyPlace } from './key-place.ts'
import * as texts from './texts.ts'

interface AddApiKeyDialogProps {
  readonly clients: Query<readonly Client[]>
  readonly keys: Query<readonly ApiKey[]>
  /** Continues with a test of the saved keys. */
  readonly onTest: (key: KeyPlace) => void
  readonly onClose: () => void
}

/** Waits for both lists: with one missing it would offer a wrong choice of clients. */
export function AddApiKeyDialog({ clients, keys, onTest, onClose }: AddApiKeyDialogProps) {
  useFocusReturn()
  const closeThis = useWhileMounted(onClose)
  const testSaved = useWhileMounted(onTest)
  return (
    <Modal opened onClose={onClose} title={texts.addDialog.title} centered>
      <QueryView query={clients} what={texts.clients}>
        {(clientRows) => (
          <QueryView query={keys} what={texts.what}>
            {(keyRows) => (
              <AddApiKeyForm
                clients={clientRows}
                keys={keyRows}
                onSaved={closeThis}
                onTest={testSaved}
              />
            )}
          </QueryView>
        )}
      </QueryView>
    </Modal>
  )
}
