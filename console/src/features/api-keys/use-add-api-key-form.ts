import { useForm } from '@mantine/form'
import { useState } from 'react'
import { EXCHANGES, type ExchangeCode, NewApiKey } from 'schema'
import { ApiError, WaitsForApprovalError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/failures.tsx'
import { validateWith } from '../../api/form-errors.ts'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { toast } from '../../components/toast.tsx'
import type { ApiKeys, KeyPlace } from './api-keys.ts'
import * as texts from './texts.ts'

interface Values {
  readonly clientId: string
  readonly note: string
  readonly exchange: ExchangeCode
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase: string
  readonly allowWithdrawal: boolean
}
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
export function useAddApiKeyForm(save: ApiKeys['save'], first: Partial<KeyPlace> = {}) {
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
  return {
    form,
    submitTo,
    isPending: form.submitting,
    chooseExchange,
    secretProps,
    restored,
    refusal,
  }
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
