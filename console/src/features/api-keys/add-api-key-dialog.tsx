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
import { type ApiKey, type Client, EXCHANGES, NOTE_LENGTH_MAX } from 'schema'
import { type Query, QueryView } from '../../api/queries.tsx'
import { useWhileMounted } from '../../components/dialogs.tsx'
import { useFocusReturn } from '../../components/focus.ts'
import { SecretInput } from '../../components/secret-input.tsx'
import { type ApiKeys, clientChoices, exchangeOptions, type KeyPlace } from './api-keys.ts'
import * as texts from './texts.ts'
import { useAddApiKeyForm } from './use-add-api-key-form.ts'

interface AddApiKeyDialogProps {
  readonly clients: Query<readonly Client[]>
  readonly keys: ApiKeys
  /** Whose keys are added, unless a person chooses otherwise. */
  readonly clientId?: string | undefined
  /** Continues with a test of the saved keys. */
  readonly onTest: (key: KeyPlace) => void
  readonly onClose: () => void
}

/** Waits for both lists: with one missing it would offer a wrong choice of clients. */
export function AddApiKeyDialog(props: AddApiKeyDialogProps) {
  const { clients, keys, clientId, onTest, onClose } = props
  useFocusReturn()
  const closeThis = useWhileMounted(onClose)
  const testSaved = useWhileMounted(onTest)
  return (
    <Modal opened onClose={onClose} title={texts.addDialog.title} centered>
      <QueryView query={clients} what={texts.clients}>
        {(clientRows) => (
          <QueryView query={keys} what={texts.what}>
            {(keyRows) => (
              <AddApiKeyForm
                clients={clientRows}
                keys={keyRows}
                first={firstOf(clientId, keyRows)}
                save={keys.save}
                onSaved={closeThis}
                onTest={testSaved}
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

const addDialog = texts.addDialog

function AddApiKeyForm({ clients, keys, first, save, onSaved, onTest }: AddApiKeyFormProps) {
  const { form, submitTo, isPending, chooseExchange, secretProps, restored, refusal } =
    useAddApiKeyForm(save, first)
  const { exchange, clientId, note } = form.values
  return (
    <form onSubmit={submitTo(onSaved, onSaved)} noValidate autoComplete="off">
      <Stack gap="md">
        <Select
          label={addDialog.clientId}
          placeholder={addDialog.chooseClient}
          data={clientChoices(clients, keys, exchange)}
          searchable
          openOnFocus={false}
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
