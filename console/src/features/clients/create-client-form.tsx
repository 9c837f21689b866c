import { Alert, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import {
  ClientChanges,
  createClient,
  DEFAULT_PERMISSIONS,
  getToken,
  mxTickerPrice,
  NewClient,
  urlOf,
} from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { attempt, reportFailure } from '../../api/failures.tsx'
import { validateWith } from '../../api/form-errors.ts'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { ActionButton } from '../../api/role.tsx'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { FormDialog } from '../../components/dialogs.tsx'
import { Icon } from '../../components/icons.tsx'
import { Quiet } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import classes from './clients.module.css'
import { isUsual, PermissionsField, permissionWords } from './permissions.tsx'
import * as texts from './texts.ts'
import type { ClientRecord, Clients, NewSecret } from './use-clients.ts'

interface CreateClientFormProps {
  readonly create: Clients['create']
  /** Shows how a client calls the API, for a person who has none. */
  readonly isFirst: boolean
  /** Called with the secret, which is in the creation's response and nowhere else. */
  readonly onCreated: (created: NewSecret) => void
}

/** A new client in one row; its permissions, and how it calls the API, as lines to open. */
export function CreateClientForm({ create, isFirst, onCreated }: CreateClientFormProps) {
  const { form, generate, notes, forget, isOpen, setOpen } = useNewClientForm()
  const submit = form.onSubmit(
    async ({ permissions, ...rest }) => {
      try {
        const created = await create({
          body: isUsual(permissions) ? rest : { ...rest, permissions },
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
    (errors) => {
      if (errors.permissions !== undefined) setOpen(true)
      form.getInputNode(Object.keys(errors)[0] ?? 'clientId')?.focus()
    },
  )
  return (
    <Paper
      component="section"
      aria-label={texts.form.title}
      withBorder
      className={classes.create}
      data-screen-only
    >
      <form onSubmit={submit} noValidate>
        <div className={classes.form}>
          <TextInput
            label={texts.form.clientId}
            placeholder={texts.form.clientIdExample}
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('clientId')}
          />
          <Button
            variant="default"
            px="sm"
            leftSection={<Icon name="dice" size={16} />}
            onClick={generate}
          >
            {texts.form.generate}
          </Button>
          <TextInput
            label={texts.form.description}
            placeholder={texts.form.descriptionHint}
            autoComplete="off"
            {...form.getInputProps('description')}
          />
          <ActionButton
            isSubmit
            endpoint={createClient}
            variant="filled"
            px="xs"
            icon="plus"
            label={form.submitting ? texts.form.submitting : texts.form.submit}
            does={texts.does.create}
            disabled={form.submitting}
            run={() => form.getInputNode('clientId')?.focus()}
          />
        </div>
        {notes}
        <div className={classes.folds}>
          <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>{permissionWords(form.values.permissions)}</summary>
            <PermissionsField {...form.getInputProps('permissions')} />
          </details>
          <details open={isFirst}>
            <summary>{texts.usage.title}</summary>
            <Usage />
          </details>
        </div>
      </form>
    </Paper>
  )
}

/** How a bot uses its credential: a token first, then calls with it. */
function Usage() {
  const address = urlOf(mxTickerPrice, { query: { symbol: 'BTCUSDT' } })
  const body = { clientId: 'your-client-id', clientSecret: 'your-client-secret' }
  const steps = [
    [texts.usage.step1, [`${getToken.method} ${getToken.path}`, '', JSON.stringify(body, null, 2)]],
    [texts.usage.step2, [`${mxTickerPrice.method} ${address}`, 'Authorization: Bearer <token>']],
  ] as const
  return (
    <Stack component="section" gap="sm" aria-label={texts.usage.title}>
      <span>{texts.usage.description(gatewayUrl())}</span>
      <div className={classes.steps}>
        {steps.map(([step, lines]) => (
          <CodeBlock key={step} title={step} label={step} language="json" code={lines.join('\n')} />
        ))}
      </div>
      <Alert variant="light" color="yellow" icon={<Icon name="shield" />}>
        {texts.security}
      </Alert>
    </Stack>
  )
}

/** A form that can generate the id, and then keeps the typed one that it replaces. */
function useNewClientForm() {
  const form = useForm<Required<NewClient>>({
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
  const [isOpen, setOpen] = useState(false)
  const restored = useUnsentForm(
    'create-client',
    () => (form.isDirty() ? form.values : null),
    (typed) => {
      form.setValues(typed)
      // *Generate* must not replace it without an undo.
      form.setTouched({ clientId: true })
      setOpen(!isUsual(typed.permissions))
    },
  )
  const undo = (id: string) => {
    form.setFieldValue('clientId', id)
    forget()
  }
  const notes = (
    <>
      {replacedId !== null && (
        <Group gap="xs" fz="sm" role="status">
          <span>{texts.form.replaced(replacedId)}</span>
          <Button size="compact-sm" variant="subtle" onClick={() => undo(replacedId)}>
            {texts.form.undo}
          </Button>
        </Group>
      )}
      {restored}
    </>
  )
  return { form, generate, notes, forget, isOpen, setOpen }
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const SUFFIX_LENGTH = 9
// The largest multiple of the alphabet's length below 256: bytes from there on would favour its
// first letters.
const FAIR_BELOW = 256 - (256 % ALPHABET.length)

/**
 * `client_` + 13 digits of milliseconds + `_` + 9 random letters or digits: exactly the 30
 * characters that are shown whole.
 */
function generateClientId(nowMs: number): string {
  let suffix = ''
  while (suffix.length < SUFFIX_LENGTH) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < FAIR_BELOW) suffix += ALPHABET[byte % ALPHABET.length]
  }
  return `client_${nowMs}_${suffix}`
}

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
