import { Text } from '@mantine/core'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as secretTexts from './secret-texts.ts'

interface EndSecretDialogProps {
  readonly isPending: boolean
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/** Asks before the old secret of a client stops working. */
export function EndSecretDialog(props: EndSecretDialogProps) {
  useFocusReturn()
  const { title, text, confirm } = secretTexts.end
  return (
    <ConfirmDialog title={title} confirmLabel={confirm} {...props}>
      <Text fz="sm">{text}</Text>
    </ConfirmDialog>
  )
}
