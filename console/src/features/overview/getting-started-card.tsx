import { Anchor, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Stats } from 'schema'
import { Link } from 'wouter'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Card } from '../../components/card.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { Icon } from '../../components/icons.tsx'
import classes from './overview.module.css'
import { texts } from './texts.ts'
import { useFirstSteps } from './use-first-steps.ts'

const { steps } = texts

/**
 * Where bots send their requests, and the three steps until the first order, ticked off as they are
 * done.
 */
export function GettingStartedCard({ stats }: { readonly stats: Stats | undefined }) {
  const { hasClient, hasKeys, hasOrder } = useFirstSteps()
  const isPaper = stats?.exchanges?.every(({ environment }) => environment === 'paper') ?? false
  const baseUrl = gatewayUrl()
  const consoleOrigin = window.location.origin
  return (
    <Card title="Getting Started" description="A bot sends all its requests to one address">
      <CopyField label="Base URL" value={baseUrl} />
      {baseUrl !== consoleOrigin && (
        <Text fz="xs" c="dimmed" mt={6}>
          This console runs at {consoleOrigin}; the gateway must allow that origin.
        </Text>
      )}
      <ol className={classes.steps}>
        <Step isDone={hasClient} href="/client-credentials" what={steps.client}>
          {steps.clientWhy}
        </Step>
        <Step isDone={hasKeys} href="/api-key-management" what={steps.keys}>
          {steps.keysWhy}
        </Step>
        <Step
          isDone={hasOrder}
          href="/mexc/trading/place-order"
          what={isPaper ? steps.paperOrder : steps.order}
        >
          {steps.orderWhy}
        </Step>
      </ol>
    </Card>
  )
}

interface StepProps {
  readonly isDone: boolean
  readonly href: string
  readonly what: string
  readonly children: ReactNode
}

function Step({ isDone, href, what, children }: StepProps) {
  return (
    <li data-done={isDone}>
      <Anchor component={Link} fz="sm" underline="always" href={href}>
        {what}
      </Anchor>{' '}
      {children}
      {isDone && (
        <span className={classes.done}>
          <Icon name="check" size={16} />
          <VisuallyHidden>{steps.done}</VisuallyHidden>
        </span>
      )}
    </li>
  )
}
