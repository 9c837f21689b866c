import { Text } from '@mantine/core'
import { type ApiKey, EXCHANGE_NAMES } from 'schema'
import { reportFailure } from '../../api/report-failure.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { useWhileMounted } from '../../components/use-while-mounted.ts'
import * as texts from './texts.ts'
import { useDeleteApiKey } from './use-api-keys.ts'

interface DeleteApiKeyDialogProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

const deleteDialog = texts.deleteDialog

export function DeleteApiKeyDialog({ apiKey, onClose }: DeleteApiKeyDialogProps) {
  const { clientId, exchange } = apiKey
  useFocusReturn()
  const closeThis = useWhileMounted(onClose)
  const deleteApiKey = useDeleteApiKey()
  const confirm = async () => {
    try {
      await deleteApiKey.trigger({ params: { clientId, exchange } })
      toast({ title: texts.success, message: deleteDialog.deleted })
    } catch (error) {
      reportFailure(error, { headline: deleteDialog.failed })
    }
    closeThis()
  }
  return (
    <ConfirmDialog
      title={deleteDialog.title}
      confirmLabel={deleteDialog.confirm}
      isPending={deleteApiKey.isPending}
      onConfirm={() => void confirm()}
      onCancel={onClose}
    >
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {deleteDialog.question(EXCHANGE_NAMES[exchange], clientId)}
      </Text>
      <Text fz="sm" c="dimmed">
        {deleteDialog.ownPositions[exchange]}
      </Text>
    </ConfirmDialog>
  )
}
