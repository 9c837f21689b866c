import { Alert, Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { type ApiKey, type Client, NOTE_LENGTH_MAX } from 'schema'
import { SecretInput } from '../../components/secret-input.tsx'
import { clientChoices } from './client-choices.ts'
import { exchangeOptions } from './exchange-options.ts'
import type { KeyPlace } from './key-place.ts'
import * as texts from './texts.ts'
import { useAddApiKeyForm } from './use-add-api-key-form.ts'

interface AddApiKeyFormProps {
  readonly clients: readonly Client[]
  readonly keys: readonly ApiKey[]
  readonly onSaved: () => void
  readonly onTest: (key: KeyPlace) => void
}

const addDialog = texts.addDialog

export function AddApiKeyForm({ clients, keys, onSaved, onTest }: AddApiKeyFormProps) {
  const { form, submitTo, isPending, chooseExchange, secretProps, restored, refusal } =
    useAddApiKeyForm()
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
          <Button
            variant="default"
            disabled={isPending}
            onClick={() => submitTo(onTest, onSaved)()}
          >
            {addDialog.submitAndTest}
          </Button>
          <Button type="submit" disabled={isPending}>
            {isPending ? addDialog.submitting : addDialog.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
