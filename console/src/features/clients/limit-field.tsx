import { NativeSelect, SimpleGrid, Switch, Text, TextInput, Title } from '@mantine/core'
import type { useForm } from '@mantine/form'
import { TagsField } from '../../components/tags-field.tsx'
import classes from './client-page.module.css'
import * as texts from './client-page-texts.ts'
import type { LimitField, LimitValues } from './limit-values.ts'

const { fields, trade, amounts, access } = texts.limits

/** The limits by what they are about, in the order of the form. */
const PARTS: readonly (readonly [title: string, fields: readonly LimitField[]])[] = [
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

interface LimitFieldsProps {
  readonly form: Pick<ReturnType<typeof useForm<LimitValues>>, 'getInputProps' | 'values'>
  readonly shown: ReadonlySet<LimitField>
}

/** The fields of the limits that are shown. */
export function LimitFields({ form, shown }: LimitFieldsProps) {
  return PARTS.map(([title, names]) => {
    const own = names.filter((name) => shown.has(name))
    return (
      own.length > 0 && (
        <div key={title}>
          <Title order={3} fz="sm" mt="md" mb="xs" c="dimmed">
            {title}
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md" verticalSpacing="md">
            {own.map((name) => (
              <LimitInput key={name} name={name} form={form} />
            ))}
          </SimpleGrid>
        </div>
      )
    )
  })
}

/** Letters beyond ASCII stay: the gateway compares them as they are written. */
const toCapitals = (text: string) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())

interface LimitInputProps extends Pick<LimitFieldsProps, 'form'> {
  readonly name: LimitField
}

/** The field of one limit. */
function LimitInput({ name, form }: LimitInputProps) {
  if (name === 'expiresAt') return <ExpiryInput form={form} />
  const { label, hint: description, ...words } = fields[name]
  if (name === 'manageForeign') {
    const props = form.getInputProps(name, { type: 'checkbox' })
    return <Switch {...{ label, description }} {...props} />
  }
  const props = { label, description, ...form.getInputProps(name) }
  if ('placeholder' in words) {
    const normalize = name === 'symbols' && { normalize: toCapitals }
    return <TagsField {...props} {...words} {...normalize} />
  }
  if ('choices' in words) return <NativeSelect {...props} data={[...words.choices]} />
  return (
    <TextInput
      {...props}
      inputMode="decimal"
      autoComplete="off"
      rightSection={
        <Text aria-hidden="true" fz="sm" c="dimmed" flex={1} ta="right" pr="sm">
          {'unit' in words && words.unit}
        </Text>
      }
      rightSectionWidth={72}
      rightSectionPointerEvents="none"
    />
  )
}

/** A date and time on the reader's clock, with the same time in UTC below it. */
function ExpiryInput({ form }: Pick<LimitFieldsProps, 'form'>) {
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
