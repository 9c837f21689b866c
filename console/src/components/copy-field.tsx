import { Text } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'
import classes from './copy-field.module.css'

interface CopyFieldProps {
  readonly label: string
  readonly value: string
}

/** A named value that people take elsewhere. */
export function CopyField({ label, value }: CopyFieldProps) {
  return (
    <div className={classes.field}>
      <Text component="span" fz="xs" c="dimmed" className={classes.label}>
        {label}
      </Text>
      <code className={classes.value}>{value}</code>
      <CopyButton value={value} label={label} />
    </div>
  )
}
