import { NativeSelect, SimpleGrid, Switch, Text, TextInput, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { TagsField } from '../../components/tags-field.tsx'
import { ExpiryField } from './expiry-field.tsx'
import * as limitsTexts from './limits-texts.ts'
import type { LimitsForm } from './use-limits-form.ts'

const { fields, trade, amounts, access } = limitsTexts.limits
/** Letters beyond ASCII stay: the gateway compares them as they are written. */
const toCapitals = (text: string) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())

const EXITS = ['own', 'any', 'limited'] as const

/** A field for each limit. */
export function LimitFields({ form }: { readonly form: LimitsForm }) {
  const { symbols, markets, allowedIps, secretAsBearer, manageForeign, repeatGuard, exits } = fields
  const figure = (
    name:
      | 'maxOrderValue'
      | 'maxDayValue'
      | 'maxOpenOrders'
      | 'maxOrdersPerMinute'
      | 'maxLeverage'
      | 'priceCollarPercent',
  ) => {
    const { label, hint, unit } = fields[name]
    return (
      <TextInput
        key={name}
        label={label}
        description={hint}
        inputMode="decimal"
        autoComplete="off"
        rightSection={
          <Text aria-hidden="true" fz="sm" c="dimmed" flex={1} ta="right" pr="sm">
            {unit}
          </Text>
        }
        rightSectionWidth={72}
        rightSectionPointerEvents="none"
        {...form.getInputProps(name)}
      />
    )
  }
  return (
    <>
      <Part title={trade}>
        <TagsField
          label={symbols.label}
          description={symbols.hint}
          placeholder={symbols.placeholder}
          normalize={toCapitals}
          {...form.getInputProps('symbols')}
        />
        <NativeSelect
          label={markets.label}
          description={markets.hint}
          data={[
            { value: '', label: markets.any },
            { value: 'spot', label: markets.spot },
            { value: 'futures', label: markets.futures },
          ]}
          {...form.getInputProps('markets')}
        />
        <NativeSelect
          label={exits.label}
          description={exits.hint}
          data={EXITS.map((value) => ({ value, label: exits[value] }))}
          {...form.getInputProps('exits')}
        />
        <NativeSelect
          label={repeatGuard.label}
          description={repeatGuard.hint}
          data={(['on', 'off'] as const).map((value) => ({ value, label: repeatGuard[value] }))}
          {...form.getInputProps('repeatGuard')}
        />
        <Switch
          label={manageForeign.label}
          description={manageForeign.hint}
          {...form.getInputProps('manageForeign', { type: 'checkbox' })}
        />
      </Part>
      <Part title={amounts}>
        {figure('maxOrderValue')}
        {figure('maxDayValue')}
        {figure('maxOpenOrders')}
        {figure('maxOrdersPerMinute')}
        {figure('maxLeverage')}
        {figure('priceCollarPercent')}
      </Part>
      <Part title={access}>
        <ExpiryField {...form.getInputProps('expiresAt')} />
        <TagsField
          label={allowedIps.label}
          description={allowedIps.hint}
          placeholder={allowedIps.placeholder}
          {...form.getInputProps('allowedIps')}
        />
        <Switch
          label={secretAsBearer.label}
          description={secretAsBearer.hint}
          {...form.getInputProps('secretAsBearer', { type: 'checkbox' })}
        />
      </Part>
    </>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <Title order={3} fz="sm" mt="lg" mb="xs" c="dimmed">
        {title}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="md">
        {children}
      </SimpleGrid>
    </>
  )
}
