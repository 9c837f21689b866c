import { Alert } from '@mantine/core'
import type { OpenAlert } from 'schema'
import { Icon } from '../../components/icons.tsx'
import { Age } from './gateway-clock.tsx'
import classes from './operations.module.css'
import * as texts from './texts.ts'

/** Alerts that are raised: what is wrong and what to do. Nothing when there are none. */
export function AlertsList({ alerts }: { readonly alerts: readonly OpenAlert[] }) {
  if (alerts.length === 0) return null
  return (
    <Alert
      variant="light"
      color="yellow"
      p="sm"
      icon={<Icon name="alert" />}
      title={texts.alerts.title(alerts.length)}
    >
      <ul className={classes.alerts}>
        {alerts.map(({ name, subject, since, text }) => (
          <li key={`${name} ${subject}`}>
            {text}{' '}
            <span>
              {texts.alerts.beforeAge}
              <Age of={since} />
              {texts.alerts.afterAge}
            </span>
          </li>
        ))}
      </ul>
    </Alert>
  )
}
