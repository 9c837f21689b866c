import { TextInput, type TextInputProps } from '@mantine/core'
import classes from './limits.module.css'
import * as limitsTexts from './limits-texts.ts'

const { label, hint, utc, past } = limitsTexts.limits.fields.expiresAt

/** A date and time on the reader's clock, with the same time in UTC below it. */
export function ExpiryField({ value, ...rest }: Pick<TextInputProps, 'value' | 'onChange'>) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const time = new Date(String(value))
  const words = time.getTime() <= Date.now() ? past : utc
  return (
    <TextInput
      type="datetime-local"
      label={label(zone)}
      description={
        <>
          {hint}
          {value !== '' && !Number.isNaN(time.getTime()) && (
            <strong className={classes.utc}>{words(inUtc(time))}</strong>
          )}
        </>
      }
      value={value}
      {...rest}
    />
  )
}

const inUtc = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ')
