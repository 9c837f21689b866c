import { Text } from '@mantine/core'
import * as texts from './texts.ts'
import { useToastRecord } from './toast-record.ts'
import classes from './toast-region.module.css'

/** What toasts said lately, newest first: a message that went by can be read again. */
export function RecentMessages() {
  const { entries } = useToastRecord()
  return (
    <div className={classes.recent}>
      <Text fw={600}>{texts.toastsRecent}</Text>
      {entries.length === 0 && (
        <Text fz="sm" c="dimmed">
          {texts.toastsNone}
        </Text>
      )}
      <ul>
        {entries.map(({ id, title, message }) => (
          <li key={id}>
            <Text fz="sm" fw={600}>
              {title}
            </Text>
            {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
