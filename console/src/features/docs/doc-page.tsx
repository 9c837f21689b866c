import { Anchor, Button, Group, Stack } from '@mantine/core'
import { Fragment, useEffect } from 'react'
import { docPages, EXCHANGE_NAMES, type DocPage as Page } from 'schema'
import { Icon } from '../../components/icons.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { EndpointCard } from './endpoint-card.tsx'
import { RecentRequests } from './recent-requests.tsx'
import * as texts from './texts.ts'
import { TryItCard } from './try-it-card.tsx'

interface DocPageProps {
  readonly page: Page
}

/** A documentation page, drawn from the catalogue. */
export default function DocPage({ page }: DocPageProps) {
  const { exchange, section, label, endpoints } = page
  // Pages that place orders list what else there is without a form: it has its own page, or is
  // rarely used by hand.
  const placesOrders = endpoints[0].proxy?.requestClass === 'order'
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
      <Stack gap="md">
        {endpoints.map((endpoint, index) => {
          const hasForm = index === 0 || !placesOrders
          return (
            <Fragment key={endpoint.id}>
              <div id={endpoint.id}>
                <EndpointCard
                  endpoint={endpoint}
                  formAt={hasForm ? undefined : formPageOf(endpoint.id)}
                />
              </div>
              {hasForm && (
                <div id={index === 0 ? 'try-it' : undefined}>
                  <TryItCard endpoint={endpoint} isOnly={endpoints.length === 1 || placesOrders} />
                </div>
              )}
            </Fragment>
          )
        })}
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
