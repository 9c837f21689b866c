import { useForm } from '@mantine/form'
import { useState } from 'react'
import { EXCHANGES, type ExchangeCode, NewApiKey } from 'schema'
import { validateWith } from '../../api/form-errors.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import { toast } from '../../components/toast.tsx'
import type { KeyPlace } from './key-place.ts'
import { texts } from './texts.ts'
import { useSaveApiKey } from './use-api-keys.ts'

interface Values {
  readonly clientId: string
  readonly note: string
  readonly exchange: ExchangeCode
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase: string
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
}

/** The name of the form. */
export const ADD_FORM = 'add-api-key'

/**
 * The form of new keys: cleans what is pasted, sends only what the exchange has, keeps what was
 * typed on failure.
 */
export function useAddApiKeyForm() {
  const saveApiKey = useSaveApiKey()
  const [trimmed, setTrimmed] = useState<ReadonlySet<SecretField>>(new Set())
  const form = useForm({ initialValues: EMPTY, validate: (values) => problemsOf(cleaned(values)) })

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
  /** Saves the keys, and hands them on when that succeeded. */
  const submitTo = (onSaved: (key: KeyPlace) => void) =>
    form.onSubmit(
      async (values) => {
        try {
          await saveApiKey.trigger({ body: bodyOf(cleaned(values)) })
          toast({ title: texts.success, message: texts.addDialog.saved })
          onSaved(values)
        } catch (error) {
          reportFailure(error, { fallback: texts.addDialog.failed })
        }
      },
      (errors) => form.getInputNode(Object.keys(errors)[0] ?? 'clientId')?.focus(),
    )
  return { form, submitTo, isPending: saveApiKey.isPending, chooseExchange, secretProps, restored }
}

const problemsOf = validateWith(NewApiKey)

/** What may be kept of what was typed: nothing of the key itself. */
function typedIn({ clientId, note, exchange }: Values) {
  return clientId === '' && note === '' ? null : { clientId, note, exchange }
}

function cleaned(values: Values): Values {
  return { ...values, apiKey: values.apiKey.trim(), apiSecret: values.apiSecret.trim() }
}

function bodyOf({ passphrase, note, ...rest }: Values): NewApiKey {
  return {
    ...rest,
    ...(note === '' ? {} : { note }),
    ...(rest.exchange === 'bg' && passphrase !== '' ? { passphrase } : {}),
  }
}
