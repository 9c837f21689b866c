import { Anchor, Button, Group, Stack } from '@mantine/core'
import { type CSSProperties, Fragment, useEffect } from 'react'
import { docPages, EXCHANGE_NAMES, type DocPage as Page } from 'schema'
import { navigate } from 'wouter/use-browser-location'
import { formatTimeOfDay } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { Card, PageHeader } from '../../components/page.tsx'
import { MethodTag, StatusTag } from '../../components/signs.tsx'
import classes from './docs.module.css'
import { EndpointCard } from './endpoint-card.tsx'
import { type PastRequest, recallRequest, useTabMemory } from './tab-memory.ts'
import * as texts from './texts.ts'
import { TryItCard } from './try-it-card.tsx'

export { docPages } from 'schema'

interface DocPageProps {
  readonly page: Page
}

/** A documentation page, drawn from the catalogue. */
export default function DocPage({ page }: DocPageProps) {
  const { exchange, section, label, endpoints } = page
  // Pages that place orders list what else there is without a form: it has its own page, or is
  // rarely used by hand.
  const placesOrders = endpoints[0].proxy?.requestClass === 'order'
  const rows: readonly Page['endpoints'][] = placesOrders
    ? [endpoints]
    : endpoints.map((endpoint) => [endpoint])
  useEffect(() => {
    // The browser looked for the target before this page was there; again, it scrolls to it and
    // marks it.
    if (window.location.hash !== '') window.location.replace(window.location.hash)
  }, [])

  return (
    <>
      <PageHeader
        title={`${EXCHANGE_NAMES[exchange]} ${label}`}
        actions={
          <Button
            component="a"
            href="#try-it"
            variant="default"
            leftSection={<Icon name="send" size={16} />}
          >
            {texts.tryIt}
          </Button>
        }
        description={endpoints.length > 1 ? section : `${section}: ${endpoints[0]?.summary}`}
      />
      {endpoints.length > 1 && (
        <Group component="nav" aria-label={texts.contents} gap="xs" mb="md" fz="sm">
          <span>{`${texts.contents}:`}</span>
          {endpoints.map(({ id, summary }) => (
            <Anchor key={id} href={`#${id}`} fz="sm">
              {summary}
            </Anchor>
          ))}
        </Group>
      )}
      <Stack gap="md" data-wide className={classes.page ?? ''}>
        {rows.map((row) => (
          <div key={row[0].id} className={classes.row}>
            {row.map((endpoint, index) => (
              <Fragment key={endpoint.id}>
                <div id={endpoint.id}>
                  <EndpointCard
                    endpoint={endpoint}
                    formAt={index === 0 ? undefined : formPageOf(endpoint.id)}
                  />
                </div>
                {index === 0 && (
                  <div
                    id={endpoint === endpoints[0] ? 'try-it' : undefined}
                    className={classes.form}
                    style={{ '--rows': row.length } as CSSProperties}
                  >
                    <TryItCard endpoint={endpoint} isOnly={rows.length === 1} />
                  </div>
                )}
              </Fragment>
            ))}
          </div>
        ))}
        <RecentRequests />
      </Stack>
    </>
  )
}

/** The page that has the form of an endpoint; undefined when none has. */
function formPageOf(id: string): string | undefined {
  const hasForm = ({ endpoints }: Page) =>
    endpoints[0].proxy?.requestClass !== 'order' && endpoints.some((each) => each.id === id)
  return docPages.find(hasForm)?.path
}

/**
 * The last try-it requests of this tab, each of which fills its form again; nothing before the
 * first.
 */
function RecentRequests() {
  const past = useTabMemory(({ past }) => past)
  if (past.length === 0) return null
  return (
    <Card title={texts.recent.title} description={texts.recent.description}>
      <ul className={classes.recent}>
        {past.map((request) => (
          <RecentRequest key={request.id} request={request} />
        ))}
      </ul>
    </Card>
  )
}

function RecentRequest({ request }: { readonly request: PastRequest }) {
  const { endpointId, atMs, status, page, values } = request
  const endpoint = docPages
    .flatMap(({ endpoints }) => endpoints)
    .find(({ id }) => id === endpointId)
  if (endpoint === undefined) return null
  const time = formatTimeOfDay(atMs)
  const recall = () => {
    recallRequest(request)
    if (window.location.pathname !== page) navigate(page)
  }
  return (
    <Group component="li" gap="4px 10px" py={6} className={classes.recentRow ?? ''}>
      <span className={classes.dim}>{time}</span>
      <MethodTag method={endpoint.method} />
      <code>{endpoint.path}</code>
      <span className={classes.dim}>{summaryOf(values)}</span>
      {status === null ? texts.recent.noResponse : <StatusTag status={status} />}
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${texts.recent.fill}: ${endpoint.path}, ${time}`}
        onClick={recall}
      >
        {texts.recent.fill}
      </Button>
    </Group>
  )
}

/** What distinguishes two requests of an endpoint: `BTC_USDT BUY LIMIT 0.01 60000`. */
function summaryOf(values: PastRequest['values']): string {
  return Object.values(values)
    .filter((value) => value !== '')
    .slice(0, 5)
    .join(' ')
}
