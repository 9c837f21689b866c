import { Text } from '@mantine/core'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as stopTexts from './stop-texts.ts'

interface ResumeDialogProps {
  /** The stop still cancels orders. */
  readonly isUnfinished: boolean
  readonly isPending: boolean
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/** Asks before a stopped client may trade again. */
export function ResumeDialog({ isUnfinished, ...rest }: ResumeDialogProps) {
  useFocusReturn()
  const { title, label, text, unfinished } = stopTexts.resume
  return (
    <ConfirmDialog title={title} confirmLabel={label} {...rest}>
      <Text fz="sm">{text}</Text>
      {isUnfinished && (
        <Text fz="sm" fw={600}>
          {unfinished}
        </Text>
      )}
    </ConfirmDialog>
  )
}
