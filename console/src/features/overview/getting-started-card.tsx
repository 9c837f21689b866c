import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Card } from '../../components/card.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import classes from './overview.module.css'

/** Where bots send their requests, and the three steps until the first one. */
export function GettingStartedCard() {
  const baseUrl = gatewayUrl()
  const consoleOrigin = window.location.origin
  return (
    <Card title="Getting Started" description="Everything a bot sends goes to one address">
      <CopyField label="Base URL" value={baseUrl} />
      {baseUrl !== consoleOrigin && (
        <Text fz="xs" c="dimmed" mt={6}>
          This console runs at {consoleOrigin}; the gateway must allow that origin.
        </Text>
      )}
      <ol className={classes.steps}>
        <li>
          <Anchor component={Link} fz="sm" underline="always" href="/client-credentials">
            Create a client credential
          </Anchor>{' '}
          for each bot and keep its secret.
        </li>
        <li>
          <Anchor component={Link} fz="sm" underline="always" href="/api-key-management">
            Store its exchange keys
          </Anchor>{' '}
          and test them.
        </li>
        <li>
          <Anchor component={Link} fz="sm" underline="always" href="/mexc/trading/place-order">
            Place a first order
          </Anchor>{' '}
          from the documentation page.
        </li>
      </ol>
    </Card>
  )
}
