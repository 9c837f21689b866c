import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { ClientChanges, DEFAULT_PERMISSIONS } from 'schema'
import { attempt } from '../../api/failures.tsx'
import { validateWith } from '../../api/form-errors.ts'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { FormDialog } from '../../components/dialogs.tsx'
import { Quiet } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { PermissionsField } from './permissions.tsx'
import * as texts from './texts.ts'
import type { ClientRecord, Clients } from './use-clients.ts'

interface EditClientDialogProps {
  readonly client: ClientRecord
  readonly update: Clients['update']
  readonly onClose: () => void
}

/** The name of the form of a client. */
export const editForm = ({ id }: ClientRecord) => `edit-client ${id}`

/** Changes what a client may do, and what it is for. What was not touched is not sent. */
export function EditClientDialog({ client, update, onClose }: EditClientDialogProps) {
  const form = useForm<Required<ClientChanges>>({
    initialValues: {
      description: client.description ?? '',
      permissions: [...(client.permissions ?? DEFAULT_PERMISSIONS)],
    },
    validate: validateWith(ClientChanges),
  })
  const restored = useUnsentForm(
    editForm(client),
    () => (form.isDirty() ? form.values : null),
    form.setValues,
  )
  const save = async () => {
    if (form.validate().hasErrors) return
    const { description, permissions } = form.values
    const body = {
      ...(form.isDirty('description') ? { description } : {}),
      ...(form.isDirty('permissions') ? { permissions } : {}),
    }
    await update({ params: { id: client.id }, body })
    toast({ title: texts.edited.title, message: texts.edited.text })
    onClose()
  }
  return (
    <FormDialog
      title={texts.edit.title}
      label={texts.edit.label}
      size="lg"
      isUnchanged={!form.isDirty()}
      onSubmit={() => attempt(save)}
      onClose={onClose}
    >
      <Text fz="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {client.clientId}
      </Text>
      <TextInput
        label={texts.form.description}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('description')}
      />
      <PermissionsField {...form.getInputProps('permissions')} />
      {restored}
      <Quiet>{texts.edit.now}</Quiet>
    </FormDialog>
  )
}
