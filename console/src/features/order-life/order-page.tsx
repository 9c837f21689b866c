import { Alert, Anchor, SimpleGrid, Stack } from '@mantine/core'
import { getOrderLife, type OrderLife } from 'schema'
import { Link } from 'wouter'
import { QueryView } from '../../api/query-view.tsx'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icons.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Tag } from '../../components/tag.tsx'
import { OrderFacts } from './order-facts.tsx'
import { ResponseCard } from './response-card.tsx'
import { colourOf } from './state-colour.ts'
import * as texts from './texts.ts'
import { TimeLine } from './time-line.tsx'

/** How often an order is read that has not ended. */
const READ_EVERY_MS = 2_000

/** The life of one order, by its request id. */
export default function OrderPage({ id }: { readonly id: string }) {
  const life = useLiveQuery(getOrderLife, READ_EVERY_MS, false, { params: { id } })
  const { data } = life
  return (
    <>
      <Anchor component={Link} href="/orders" fz="sm" display="inline-block" mb="xs">
        {texts.back}
      </Anchor>
      <PageHeader
        title={`${texts.title} ${data?.clientOrderId ?? data?.orderId ?? id}`}
        description={data && texts.meaning(data.state, data.exchange, data.response?.statusCode)}
        actions={data && <Tag colour={colourOf(data.state)}>{texts.states[data.state]}</Tag>}
      />
      <QueryView query={life} what={texts.what}>
        {(order) => <Life life={order} />}
      </QueryView>
    </>
  )
}

function Life({ life }: { readonly life: OrderLife }) {
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Stack gap="lg">
        {life.state === 'unknown' && !life.canBeLookedUp && (
          <Alert color="red" variant="light" icon={<Icon name="alert" />}>
            {texts.mustCheck(life.exchange)}
          </Alert>
        )}
        <Card title={texts.line}>
          <TimeLine life={life} />
        </Card>
      </Stack>
      <Stack gap="lg">
        <OrderFacts life={life} />
        <ResponseCard response={life.response} />
      </Stack>
    </SimpleGrid>
  )
}
