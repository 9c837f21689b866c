import { Select, TextInput } from '@mantine/core'
import { InlineCode } from '../../components/inline-code.tsx'
import { SecretInput } from '../../components/secret-input.tsx'
import type { FormField } from './form-fields.ts'
import * as texts from './texts.ts'

interface TryItFieldProps {
  readonly id: string
  readonly field: FormField
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

/** The input for one parameter, as its schema asks for it. */
export function TryItField({ id, field, value, error, onChange }: TryItFieldProps) {
  const { name, kind, choices, schema, isRequired, placeholder } = field
  const common = {
    id,
    label: name,
    description: schema.description && <InlineCode text={schema.description} />,
    inputWrapperOrder: ['label', 'input', 'error', 'description'] as const,
    error,
    'aria-required': isRequired,
  }
  if (kind === 'choice') {
    return (
      <Select
        {...common}
        inputWrapperOrder={[...common.inputWrapperOrder]}
        data={choices.map((choice) => ({ value: choice, label: choice || `(${texts.notSent})` }))}
        value={value}
        onChange={(next) => onChange(next ?? '')}
        allowDeselect={false}
      />
    )
  }
  const Input = kind === 'secret' ? SecretInput : TextInput
  return (
    <Input
      {...common}
      inputWrapperOrder={[...common.inputWrapperOrder]}
      value={value}
      readOnly={kind === 'fixed'}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      placeholder={isRequired ? placeholder : texts.notSent}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
