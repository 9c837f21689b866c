import { Text } from '@mantine/core'
import type { ListedClient } from 'schema'
import { ReduceFirst } from '../../api/reduce-first.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as texts from './texts.ts'
import { useHaltClient } from './use-operations-actions.ts'

interface HaltDialogProps {
  readonly client: Pick<ListedClient, 'id' | 'clientId' | 'state'>
  readonly onClose: () => void
}

const words = texts.clients

/** Asks before a client may only cancel. */
export function HaltDialog({ client: { id, clientId, state }, onClose }: HaltDialogProps) {
  useFocusReturn()
  const { trigger, isPending } = useHaltClient()
  const halt = async () => {
    try {
      const { mode } = await trigger({ params: { id }, body: { state: 'halted' } })
      if (mode === 'shadow') toast({ ...words.haltedInShadow(clientId), tone: 'failure' })
      else toast(words.halted(clientId))
    } catch (failure) {
      reportFailure(failure)
    }
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.haltTitle(clientId)}
      confirmLabel={words.halt}
      isPending={isPending}
      onConfirm={() => void halt()}
      onCancel={onClose}
    >
      {state === 'active' && <ReduceFirst id={id} onDone={onClose} />}
      <Text fz="sm">{words.haltText}</Text>
    </ConfirmDialog>
  )
}
