import { SimpleGrid, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import {
  getToken,
  listClients,
  listLogs,
  mxTickerPrice,
  type Stats,
  TOKEN_TTL_SECONDS,
} from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { useKeys, useQuery } from '../../api/queries.tsx'
import { RequestSample } from '../../api/request-sample.tsx'
import { CopyField } from '../../components/copy.tsx'
import { Icon } from '../../components/icons.tsx'
import { Card, PageLink, Quiet } from '../../components/page.tsx'
import classes from './overview.module.css'
import * as texts from './texts.ts'

const words = texts.steps
const start = texts.gettingStarted

/** Each is undefined until it is known. */
interface FirstSteps {
  readonly hasClient: boolean | undefined
  readonly hasKeys: boolean | undefined
  /** An order went well in the window of the log. */
  readonly hasOrder: boolean | undefined
}

/** The paths that orders are placed at, of Sluice's own calls and of the exchanges'. */
const PLACES_ORDER = /order/i
const CANCELS = /cancel/i

/** Which of the three first steps are done. Each is looked at once the one before it is. */
export function useFirstSteps(): FirstSteps {
  const { data: clients } = useQuery(listClients)
  const { data: keys } = useKeys()
  const hasClient = clients && clients.length > 0
  const hasKeys = hasClient === false ? false : keys && keys.length > 0
  const orders = useQuery(
    listLogs,
    hasKeys === true ? { query: { method: 'POST', status: 'success', limit: 100 } } : null,
  )
  const placed = orders.data?.some(
    ({ endpoint }) => PLACES_ORDER.test(endpoint) && !CANCELS.test(endpoint),
  )
  const hasOrder = hasKeys === false ? false : placed

  // What an earlier visit read may be old: the order was placed in between.
  const readAgain = useEffectEvent(() => {
    if (orders.data !== undefined && !hasOrder) void orders.refresh()
  })
  useEffect(() => readAgain(), [])
  return { hasClient, hasKeys, hasOrder }
}

interface GettingStartedCardProps {
  readonly stats: Stats | undefined
  readonly steps: FirstSteps
}

/**
 * Where bots send their requests, and the three steps until the first order, ticked off as they are
 * done, and folded away when all are.
 */
export function GettingStartedCard({ stats, steps }: GettingStartedCardProps) {
  const { hasClient, hasKeys, hasOrder } = steps
  const isMissing = hasOrder === false
  const isPaper = stats?.exchanges?.every(({ environment }) => environment === 'paper') ?? false
  const baseUrl = gatewayUrl()
  const consoleOrigin = window.location.origin
  return (
    <Card title={start.title} description={start.description}>
      <CopyField label={start.baseUrl} value={baseUrl} />
      <Quiet fz="xs" mt={6}>
        {baseUrl === consoleOrigin ? start.sameOrigin : start.origin(consoleOrigin)}
      </Quiet>
      {/* Closed until it is known that a step is missing, so that nothing moves in daily use. */}
      <details open={isMissing} className={classes.fold}>
        <summary>
          {words.title}
          {hasOrder && <Done>{words.allDone}</Done>}
        </summary>
        <ol className={classes.steps}>
          <Step isDone={hasClient} href="/client-credentials" what={words.client}>
            {words.clientWhy}
          </Step>
          <Step isDone={hasKeys} href="/api-key-management" what={words.keys}>
            {words.keysWhy}
          </Step>
          <Step
            isDone={hasOrder}
            href="/mexc/trading/place-order"
            what={isPaper ? words.paperOrder : words.order}
          >
            {words.orderWhy}
          </Step>
        </ol>
      </details>
    </Card>
  )
}

interface StepProps {
  readonly isDone: boolean | undefined
  readonly href: string
  readonly what: string
  readonly children: ReactNode
}

function Step({ isDone, href, what, children }: StepProps) {
  return (
    <li>
      <PageLink underline="always" href={href}>
        {what}
      </PageLink>{' '}
      {children}
      {isDone && (
        <Done>
          <VisuallyHidden>{words.done}</VisuallyHidden>
        </Done>
      )}
    </li>
  )
}

function Done({ children }: { readonly children: ReactNode }) {
  return (
    <span className={classes.done}>
      <Icon name="check" size={16} /> {children}
    </span>
  )
}

/** How a bot gets its token and uses it. */
export function AuthenticationCard() {
  const { title, description, token, tokenLabel, call, callLabel } = texts.authentication
  const tokenCall = `${getToken.method} ${getToken.path}`
  return (
    <Card title={title} description={description(tokenCall, TOKEN_TTL_SECONDS)}>
      <SimpleGrid cols={{ base: 1, xl: 2 }} spacing="md">
        <RequestSample
          title={token}
          label={tokenLabel}
          endpoint={getToken}
          input={{ body: { clientId: 'your-client-id', clientSecret: 'your-client-secret' } }}
        />
        <RequestSample
          title={call}
          label={callLabel}
          endpoint={mxTickerPrice}
          input={{ query: mxTickerPrice.sample.query }}
          token="your-token"
        />
      </SimpleGrid>
    </Card>
  )
}
