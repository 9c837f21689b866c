import {
  Group,
  NativeSelect,
  SimpleGrid,
  Switch,
  Text,
  TextInput,
  type TextInputProps,
  Title,
  UnstyledButton,
} from '@mantine/core'
import type { useForm } from '@mantine/form'
import {
  type ClipboardEvent,
  type FocusEvent,
  type KeyboardEvent,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { Icon } from '../../components/icons.tsx'
import * as pageTexts from '../../components/page-texts.ts'
import classes from './client-page.module.css'
import * as texts from './client-page-texts.ts'
import type { LimitField, LimitValues } from './limit-values.ts'
import tagClasses from './tags-field.module.css'

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

type InputProps = 'description' | 'error' | 'placeholder' | 'onBlur'

const INPUT_METHOD = 229

interface TagsFieldProps extends Pick<TextInputProps, InputProps> {
  readonly label: string
  readonly value?: readonly string[]
  readonly onChange: (value: readonly string[]) => void
  /** How a typed entry is written; as typed when absent. */
  readonly normalize?: (text: string) => string
}

/**
 * A list of short texts. Enter, a comma, a blank and leaving the field add what was typed; each
 * entry is a button that removes it.
 */
function TagsField({ label, value = [], onChange, normalize, ...rest }: TagsFieldProps) {
  const [typed, setTyped] = useState('')
  // A button was pressed: a new row of entries would move it away before the click is complete.
  const [isLeaving, setLeaving] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const add = (text: string) => {
    const entries = text.split(/[\s,;]+/).map((entry) => normalize?.(entry) ?? entry)
    const next = new Set([...value, ...entries.filter((entry) => entry !== '')])
    if (next.size > value.length) onChange([...next])
    setTyped('')
  }
  const remove = (entry: string) => onChange(value.filter((each) => each !== entry))
  const press = (event: KeyboardEvent) => {
    // An input method uses the same keys to choose a character. To the one that ends it, some
    // browsers give this code alone.
    if (event.nativeEvent.isComposing || event.keyCode === INPUT_METHOD) return
    if (typed !== '' && [' ', ',', ';', 'Enter'].includes(event.key)) {
      event.preventDefault()
      add(typed)
    }
    const last = value.at(-1)
    if (event.key === 'Backspace' && typed === '' && last !== undefined) remove(last)
  }
  const leave = (event: FocusEvent<HTMLInputElement>) => {
    if (event.relatedTarget instanceof HTMLButtonElement) setLeaving(true)
    else add(typed)
    rest.onBlur?.(event)
  }
  const addLate = useEffectEvent(() => {
    add(typed)
    setLeaving(false)
  })
  useEffect(() => {
    if (!isLeaving) return
    const onClick = () => addLate()
    window.addEventListener('click', onClick, { capture: true })
    return () => window.removeEventListener('click', onClick, { capture: true })
  }, [isLeaving])
  const paste = (event: ClipboardEvent) => {
    event.preventDefault()
    add(typed + event.clipboardData.getData('text'))
  }
  return (
    <div>
      <TextInput
        {...rest}
        ref={input}
        label={label}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
        onPaste={paste}
        onFocus={() => setLeaving(false)}
        onBlur={leave}
      />
      {value.length > 0 && (
        <Group component="ul" gap={6} mt={8} mb={0} p={0} aria-label={label}>
          {value.map((entry) => (
            <Group key={entry} component="li" maw="100%">
              <UnstyledButton
                className={tagClasses.tag}
                aria-label={pageTexts.remove(entry)}
                onClick={() => {
                  remove(entry)
                  input.current?.focus()
                }}
              >
                <span>{entry}</span>
                <Icon name="close" size={12} />
              </UnstyledButton>
            </Group>
          ))}
        </Group>
      )}
    </div>
  )
}
