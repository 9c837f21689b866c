import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { createClient as creation, DEFAULT_PERMISSIONS, NewClient, type Permission } from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { validateWith } from '../../api/form-errors.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import { generateClientId } from './generate-client-id.ts'
import { PermissionsField } from './permissions-field.tsx'
import * as texts from './texts.ts'
import { useCreateClient } from './use-clients.ts'

export interface NewSecret {
  readonly clientId: string
  readonly clientSecret: string
}

interface CreateClientFormProps {
  /** Called with the secret, which is in the creation's response and nowhere else. */
  readonly onCreated: (created: NewSecret) => void
}

interface Values {
  readonly clientId: string
  readonly description: string
  readonly permissions: Permission[]
}

export function CreateClientForm({ onCreated }: CreateClientFormProps) {
  const createClient = useCreateClient()
  const { form, replacedId, generate, undo, forget } = useNewClientForm()
  const restored = useUnsentForm(
    'create-client',
    () => (form.isDirty() ? form.values : null),
    (typed) => {
      form.setValues(typed)
      // *Generate* must not replace it without an undo.
      form.setTouched({ clientId: true })
    },
  )

  const submit = form.onSubmit(
    async ({ permissions, ...rest }) => {
      const isDefault = `${permissions.toSorted()}` === `${DEFAULT_PERMISSIONS.toSorted()}`
      try {
        const created = await createClient.trigger({
          body: isDefault ? rest : { ...rest, permissions },
        })
        form.reset()
        forget()
        toast({ title: texts.created.title, message: texts.created.text })
        // Another gateway may keep the secret out of its response.
        if (created?.clientSecret) onCreated(created)
      } catch (error) {
        reportFailure(error)
        const isTaken = error instanceof ApiError && error.status === 409
        if (isTaken) form.setFieldError('clientId', error.serverMessage ?? error.message)
      }
    },
    (errors) => form.getInputNode(Object.keys(errors)[0] ?? 'clientId')?.focus(),
  )

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Group align="flex-start" gap="xs">
          <TextInput
            label={texts.form.clientId}
            placeholder={texts.form.clientIdExample}
            autoComplete="off"
            spellCheck={false}
            flex="1 1 240px"
            {...form.getInputProps('clientId')}
          />
          <Button
            variant="default"
            mt={{ base: 0, xs: 25 }}
            leftSection={<Icon name="dice" size={16} />}
            onClick={generate}
          >
            {texts.form.generate}
          </Button>
        </Group>
        {replacedId !== null && (
          <Group gap="xs" fz="sm" role="status">
            <span>{texts.form.replaced(replacedId)}</span>
            <Button size="compact-sm" variant="subtle" onClick={undo}>
              {texts.form.undo}
            </Button>
          </Group>
        )}
        <TextInput
          label={texts.form.description}
          placeholder={texts.form.descriptionHint}
          autoComplete="off"
          {...form.getInputProps('description')}
        />
        <PermissionsField {...form.getInputProps('permissions')} />
        {restored}
        <Group>
          <RoleOnly endpoint={creation}>
            <Button
              type="submit"
              px="xs"
              disabled={createClient.isPending}
              leftSection={<Icon name="plus" size={16} />}
            >
              {createClient.isPending ? texts.form.submitting : texts.form.submit}
            </Button>
          </RoleOnly>
        </Group>
      </Stack>
    </form>
  )
}

/** A form that can generate the id, and then keeps the typed one that it replaces. */
function useNewClientForm() {
  const form = useForm<Values>({
    initialValues: { clientId: '', description: '', permissions: [...DEFAULT_PERMISSIONS] },
    validate: validateWith(NewClient),
  })
  const [replacedId, setReplacedId] = useState<string | null>(null)
  const forget = () => setReplacedId(null)
  const generate = () => {
    const typed = form.isTouched('clientId') ? form.values.clientId : ''
    setReplacedId(typed === '' ? null : typed)
    form.setFieldValue('clientId', generateClientId(Date.now()), { forceUpdate: true })
    form.resetTouched()
  }
  const undo = () => {
    if (replacedId !== null) form.setFieldValue('clientId', replacedId)
    forget()
  }
  return { form, replacedId, generate, undo, forget }
}
