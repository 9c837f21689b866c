import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { previewClientStop, StopRequest } from 'schema'
import { validateWith } from '../../api/form-errors.ts'
import { ReduceFirst } from '../../api/reduce-first.tsx'
import { StopPreviewLine } from '../../api/stop-preview.tsx'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as stopTexts from './stop-texts.ts'
import * as texts from './texts.ts'

interface StopDialogProps {
  readonly id: number
  /** Whether the state `reducing` would be stricter than what holds now. */
  readonly mayReduce: boolean
  readonly isPending: boolean
  readonly onStop: (body: StopRequest) => void
  readonly onCancel: () => void
}

const dialog = stopTexts.dialog
const problemsOf = validateWith(StopRequest)

/** The name of the form of a client. */
export const stopForm = (id: number) => `stop-client ${id}`

/** Asks why a client is stopped, and what becomes of its working orders. */
export function StopDialog({ id, mayReduce, isPending, onStop, onCancel }: StopDialogProps) {
  useFocusReturn()
  const form = useForm({
    initialValues: { reason: '', cancelOrders: true },
    validate: (values) => problemsOf({ ...values, reason: values.reason.trim() }),
  })
  const restored = useUnsentForm(
    stopForm(id),
    () => (form.isDirty() ? form.values : null),
    form.setValues,
  )
  const submit = form.onSubmit(
    ({ reason, cancelOrders }) => onStop({ reason: reason.trim(), cancelOrders }),
    () => form.getInputNode('reason')?.focus(),
  )
  return (
    <Modal opened onClose={onCancel} title={dialog.title} centered>
      <form onSubmit={submit} noValidate data-also-offline>
        <Stack>
          {mayReduce && <ReduceFirst id={id} onDone={onCancel} />}
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
          <StopPreviewLine
            endpoint={previewClientStop}
            input={{ params: { id } }}
            cancels={form.values.cancelOrders}
          />
          {restored}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onCancel}>
              {texts.cancel}
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
