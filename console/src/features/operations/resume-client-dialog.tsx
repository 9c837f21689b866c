import { Text } from '@mantine/core'
import type { ClientNow } from 'schema'
import { reportFailure } from '../../api/report-failure.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as texts from './texts.ts'
import { useHaltClient, useResumeClient } from './use-operations-actions.ts'

interface ResumeClientDialogProps {
  readonly client: Pick<ClientNow, 'id' | 'clientId'>
  /** It was stopped; otherwise its state alone keeps it from placing orders. */
  readonly isStopped: boolean
  readonly onClose: () => void
}

const words = texts.clients

/** Asks before a client may place orders again. */
export function ResumeClientDialog({ client, isStopped, onClose }: ResumeClientDialogProps) {
  useFocusReturn()
  const { id, clientId } = client
  const resuming = useResumeClient()
  const changing = useHaltClient()
  const resume = async () => {
    try {
      if (isStopped) await resuming.trigger({ params: { id } })
      else await changing.trigger({ params: { id }, body: { state: 'active' } })
      toast(words.resumed(clientId))
    } catch (failure) {
      reportFailure(failure)
    }
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.resumeTitle(clientId)}
      confirmLabel={words.resumeLabel}
      isPending={resuming.isPending || changing.isPending}
      onConfirm={() => void resume()}
      onCancel={onClose}
    >
      <Text fz="sm">{isStopped ? words.resumeText : words.activeText}</Text>
    </ConfirmDialog>
  )
}
