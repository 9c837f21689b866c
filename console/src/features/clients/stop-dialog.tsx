import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { StopRequest } from 'schema'
import { validateWith } from '../../api/form-errors.ts'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { stopTexts } from './stop-texts.ts'

interface StopDialogProps {
  readonly isPending: boolean
  readonly onStop: (body: StopRequest) => void
  readonly onCancel: () => void
}

const { dialog } = stopTexts
const problemsOf = validateWith(StopRequest)

/** Asks why a client is stopped, and what becomes of its working orders. */
export function StopDialog({ isPending, onStop, onCancel }: StopDialogProps) {
  useFocusReturn()
  const form = useForm({
    initialValues: { reason: '', cancelOrders: true },
    validate: (values) => problemsOf({ ...values, reason: values.reason.trim() }),
  })
  const submit = form.onSubmit(
    ({ reason, cancelOrders }) => onStop({ reason: reason.trim(), cancelOrders }),
    () => form.getInputNode('reason')?.focus(),
  )
  return (
    <Modal opened onClose={onCancel} title={dialog.title} centered>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={dialog.reason}
            description={dialog.reasonHint}
            maxLength={200}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('reason')}
          />
          <Checkbox
            label={dialog.cancelOrders}
            description={dialog.cancelHint}
            {...form.getInputProps('cancelOrders', { type: 'checkbox' })}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" disabled={isPending}>
              {isPending ? dialog.sending : stopTexts.stop}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
