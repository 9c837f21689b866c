import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDeferredValue, useState } from 'react'
import {
  type ApiKey,
  type Client,
  EXCHANGES,
  listClients,
  NewApiKey,
  NOTE_LENGTH_MAX,
} from 'schema'
import { ApiError, WaitsForApprovalError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/failures.tsx'
import { validateWith } from '../../api/form-errors.ts'
import { QueryView, useQuery } from '../../api/queries.tsx'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { useFocusReturn } from '../../components/focus.ts'
import { SecretInput } from '../../components/secret-input.tsx'
import { toast } from '../../components/toast.tsx'
import {
  type ApiKeys,
  clientChoices,
  exchangeOptions,
  type KeyPlace,
  useApiKeys,
} from './api-keys.ts'
import * as texts from './texts.ts'

const { addDialog } = texts

interface AddApiKeyDialogProps {
  /** Whose keys are added, unless a person chooses otherwise. */
  readonly clientId?: string | undefined
  /** Continues with a test of the saved keys. */
  readonly onTest: (key: KeyPlace) => void
  readonly onClose: () => void
}

/** Waits for both lists: with one missing it would offer a wrong choice of clients. */
export function AddApiKeyDialog({ clientId, onTest, onClose }: AddApiKeyDialogProps) {
  const clients = useQuery(listClients)
  const keys = useApiKeys()
  // The dialog is on the screen before its fields are made.
  const isFramed = useDeferredValue(true, false)
  useFocusReturn()
  return (
    <Modal opened onClose={onClose} title={addDialog.title} centered>
      <QueryView query={isFramed ? clients : { ...clients, data: undefined }} what={texts.clients}>
        {(clientRows) => (
          <QueryView query={keys} what={texts.what}>
            {(keyRows) => (
              <AddApiKeyForm
                clients={clientRows}
                keys={keyRows}
                first={firstOf(clientId, keyRows)}
                save={keys.save}
                onSaved={onClose}
                onTest={onTest}
              />
            )}
          </QueryView>
        )}
      </QueryView>
    </Modal>
  )
}

/** A client, with the first exchange for which it has no keys. */
function firstOf(
  clientId: string | undefined,
  keys: readonly ApiKey[],
): Partial<KeyPlace> | undefined {
  if (clientId === undefined) return undefined
  const isFree = (exchange: string) =>
    !keys.some((key) => key.clientId === clientId && key.exchange === exchange)
  const exchange = EXCHANGES.find(isFree)
  return exchange && { clientId, exchange }
}

interface AddApiKeyFormProps {
  readonly clients: readonly Client[]
  readonly keys: readonly ApiKey[]
  readonly first: Partial<KeyPlace> | undefined
  readonly save: ApiKeys['save']
  readonly onSaved: () => void
  readonly onTest: (key: KeyPlace) => void
}

function AddApiKeyForm({ clients, keys, first, save, onSaved, onTest }: AddApiKeyFormProps) {
  const { form, submitTo, ...rest } = useAddApiKeyForm(save, first)
  const { chooseExchange, secretProps, restored, refusal } = rest
  const { exchange, clientId, note } = form.values
  const isPending = form.submitting
  return (
    <form onSubmit={submitTo(onSaved, onSaved)} noValidate autoComplete="off">
      <Stack gap="md">
        <Select
          label={addDialog.clientId}
          placeholder={addDialog.chooseClient}
          data={clientChoices(clients, keys, exchange)}
          searchable
          openOnFocus={false}
          autoFocus
          data-autofocus
          {...form.getInputProps('clientId')}
          value={clientId === '' ? null : clientId}
          onChange={(value) => form.setFieldValue('clientId', value ?? '')}
        />
        <TextInput
          label={addDialog.note}
          maxLength={NOTE_LENGTH_MAX}
          rightSectionWidth={56}
          rightSection={
            <Text fz="xs" c="dimmed" component="span">
              {`${note.length}/${NOTE_LENGTH_MAX}`}
            </Text>
          }
          {...form.getInputProps('note')}
        />
        <Select
          label={addDialog.exchange}
          data={exchangeOptions}
          allowDeselect={false}
          value={exchange}
          onChange={chooseExchange}
        />
        <TextInput
          label={addDialog.apiKey}
          autoComplete="off"
          spellCheck={false}
          {...secretProps(
            'apiKey',
            exchange === 'bg' ? addDialog.bitgetPermissions : addDialog.permissions,
          )}
        />
        <SecretInput
          label={addDialog.apiSecret}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': addDialog.showSecret }}
          {...secretProps('apiSecret')}
        />
        {exchange === 'bg' && (
          <SecretInput
            label={addDialog.passphrase}
            description={addDialog.passphraseHint}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': addDialog.showPassphrase }}
            {...form.getInputProps('passphrase')}
          />
        )}
        {refusal !== null && (
          <Alert color="red" role="alert" title={addDialog.canWithdraw}>
            {refusal}
            <Checkbox
              mt="sm"
              color="red"
              label={addDialog.allowWithdrawal}
              {...form.getInputProps('allowWithdrawal', { type: 'checkbox' })}
            />
          </Alert>
        )}
        {restored}
        <Group justify="flex-end" gap="sm">
          <Button type="submit" variant="default" disabled={isPending}>
            {isPending ? addDialog.submitting : addDialog.submit}
          </Button>
          <Button disabled={isPending} onClick={() => submitTo(onTest, onSaved)()}>
            {addDialog.submitAndTest}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Values = Readonly<Required<NewApiKey>>
type SecretField = 'apiKey' | 'apiSecret'

// MEXC first: the list of clients, which is above the exchange, is usable at once.
const EMPTY: Values = {
  clientId: '',
  note: '',
  exchange: 'mx',
  apiKey: '',
  apiSecret: '',
  passphrase: '',
  allowWithdrawal: false,
}

/** The name of the form. */
export const ADD_FORM = 'add-api-key'

/**
 * The form of new keys: cleans what is pasted, sends only what the exchange has, keeps what was
 * typed on failure.
 */
function useAddApiKeyForm(save: ApiKeys['save'], first: Partial<KeyPlace> = {}) {
  const [trimmed, setTrimmed] = useState<ReadonlySet<SecretField>>(new Set())
  /** What the gateway says of a key that it refused because it can withdraw. */
  const [refusal, setRefusal] = useState<string | null>(null)
  const form = useForm({
    initialValues: { ...EMPTY, ...first },
    validate: (values) => problemsOf(cleaned(values)),
    onValuesChange: ({ apiKey, exchange, allowWithdrawal }, before) => {
      // What was allowed is this one key.
      if (refusal === null || (apiKey === before.apiKey && exchange === before.exchange)) return
      setRefusal(null)
      if (allowWithdrawal) form.setFieldValue('allowWithdrawal', false)
    },
  })

  const restored = useUnsentForm(ADD_FORM, () => typedIn(form.values), form.setValues)

  const chooseExchange = (value: string | null) => {
    const exchange = EXCHANGES.find((code) => code === value)
    if (exchange === undefined) return
    form.setValues({ exchange, clientId: '', passphrase: '' })
    form.clearErrors()
  }
  const secretProps = (field: SecretField, hint?: string) => ({
    ...form.getInputProps(field),
    description: trimmed.has(field) ? texts.addDialog.trimmed : hint,
    onBlur: () => {
      const value = form.values[field]
      if (value === value.trim()) return
      form.setFieldValue(field, value.trim())
      setTrimmed(new Set(trimmed).add(field))
    },
  })
  /** Saves the keys, and hands them on when that succeeded. They may wait for another admin. */
  const submitTo = (onSaved: (key: KeyPlace) => void, onWaits: () => void) =>
    form.onSubmit(
      async (values) => {
        try {
          await save({ body: bodyOf(cleaned(values)) })
          toast({ title: texts.success, message: texts.addDialog.saved })
          onSaved(values)
        } catch (error) {
          if (error instanceof ApiError && error.problem.code === 'KEY_CAN_WITHDRAW')
            setRefusal(error.serverMessage ?? texts.addDialog.failed)
          else reportFailure(error, { fallback: texts.addDialog.failed })
          if (error instanceof WaitsForApprovalError) onWaits()
        }
      },
      (errors) => form.getInputNode(Object.keys(errors)[0] ?? 'clientId')?.focus(),
    )
  return { form, submitTo, chooseExchange, secretProps, restored, refusal }
}

const problemsOf = validateWith(NewApiKey)

/** What may be kept of what was typed: nothing of the key itself. */
function typedIn({ clientId, note, exchange }: Values) {
  return clientId === '' && note === '' ? null : { clientId, note, exchange }
}

function cleaned(values: Values): Values {
  return { ...values, apiKey: values.apiKey.trim(), apiSecret: values.apiSecret.trim() }
}

function bodyOf({ passphrase, note, allowWithdrawal, ...rest }: Values): NewApiKey {
  return {
    ...rest,
    ...(note === '' ? {} : { note }),
    ...(allowWithdrawal ? { allowWithdrawal } : {}),
    ...(rest.exchange === 'bg' && passphrase !== '' ? { passphrase } : {}),
  }
}
