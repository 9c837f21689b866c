import { NativeSelect, Switch, Text, TextInput } from '@mantine/core'
import type { useForm } from '@mantine/form'
import { TagsField } from '../../components/tags-field.tsx'
import classes from './client-page.module.css'
import * as texts from './client-page-texts.ts'
import type { LimitField, LimitValues } from './limit-values.ts'

type LimitsForm = Pick<ReturnType<typeof useForm<LimitValues>>, 'getInputProps' | 'values'>

const { fields, trade, amounts, access } = texts.limits

/** The limits by what they are about, in the order of the form. */
export const LIMIT_PARTS: readonly (readonly [title: string, fields: readonly LimitField[]])[] = [
  [trade, ['symbols', 'markets', 'exits', 'repeatGuard', 'manageForeign']],
  [
    amounts,
    [
      ...(['maxOrderValue', 'maxDayValue', 'maxOpenOrders', 'maxOrdersPerMinute'] as const),
      ...(['maxLeverage', 'priceCollarPercent'] as const),
    ],
  ],
  [access, ['expiresAt', 'allowedIps']],
]

/** What a limit is called. */
export const limitLabel = (name: LimitField) =>
  name === 'expiresAt' ? fields.expiresAt.short : fields[name].label

/** Letters beyond ASCII stay: the gateway compares them as they are written. */
const toCapitals = (text: string) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())

const choices = <T extends string>(values: readonly T[], words: Readonly<Record<T, string>>) =>
  values.map((value) => ({ value, label: words[value] }))

const CHOICES = {
  markets: [
    { value: '', label: fields.markets.any },
    ...choices(['spot', 'futures'], fields.markets),
  ],
  exits: choices(['own', 'any', 'limited'], fields.exits),
  repeatGuard: choices(['on', 'off'], fields.repeatGuard),
}

interface LimitFieldProps {
  readonly name: LimitField
  readonly form: LimitsForm
}

/** The field of one limit. */
export function LimitInput({ name, form }: LimitFieldProps) {
  switch (name) {
    case 'symbols':
    case 'allowedIps': {
      const { label, hint, placeholder } = fields[name]
      return (
        <TagsField
          label={label}
          description={hint}
          placeholder={placeholder}
          {...(name === 'symbols' && { normalize: toCapitals })}
          {...form.getInputProps(name)}
        />
      )
    }
    case 'markets':
    case 'exits':
    case 'repeatGuard':
      return (
        <NativeSelect
          label={fields[name].label}
          description={fields[name].hint}
          data={CHOICES[name]}
          {...form.getInputProps(name)}
        />
      )
    case 'manageForeign':
      return (
        <Switch
          label={fields[name].label}
          description={fields[name].hint}
          {...form.getInputProps(name, { type: 'checkbox' })}
        />
      )
    case 'expiresAt':
      return <ExpiryInput form={form} />
    default:
      return (
        <TextInput
          label={fields[name].label}
          description={fields[name].hint}
          inputMode="decimal"
          autoComplete="off"
          rightSection={
            <Text aria-hidden="true" fz="sm" c="dimmed" flex={1} ta="right" pr="sm">
              {fields[name].unit}
            </Text>
          }
          rightSectionWidth={72}
          rightSectionPointerEvents="none"
          {...form.getInputProps(name)}
        />
      )
  }
}

/** A date and time on the reader's clock, with the same time in UTC below it. */
function ExpiryInput({ form }: Pick<LimitFieldProps, 'form'>) {
  const { label, hint, utc, past } = fields.expiresAt
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const time = new Date(form.values.expiresAt)
  const words = time.getTime() <= Date.now() ? past : utc
  return (
    <TextInput
      type="datetime-local"
      label={label(zone)}
      description={
        <>
          {hint}
          {!Number.isNaN(time.getTime()) && (
            <strong className={classes.utc}>
              {words(time.toISOString().slice(0, 16).replace('T', ' '))}
            </strong>
          )}
        </>
      }
      {...form.getInputProps('expiresAt')}
    />
  )
}
