import { Text } from '@mantine/core'
import type { ClientLimits } from 'schema'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as limitsTexts from './limits-texts.ts'

interface LaxerDialogProps extends Partial<Pick<ClientLimits, 'state' | 'mode'>> {
  readonly isPending: boolean
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/** Asks before a client may do more than now. */
export function LaxerDialog({ state, mode: _, ...rest }: LaxerDialogProps) {
  useFocusReturn()
  const states = limitsTexts.state
  const mode = limitsTexts.mode
  const title = state === undefined ? mode.confirmTitle : states.confirm(limitsTexts.states[state])
  const label = state === undefined ? mode.confirm : states.confirmLabel(limitsTexts.states[state])
  return (
    <ConfirmDialog title={title} confirmLabel={label} {...rest}>
      <Text fz="sm">{state === undefined ? mode.consequence : `${states.meanings[state]}.`}</Text>
    </ConfirmDialog>
  )
}
