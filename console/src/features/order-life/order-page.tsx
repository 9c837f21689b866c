import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { EXCHANGE_NAMES, getOrderLife, type OrderLife } from 'schema'
import { QueryView, useLiveQuery } from '../../api/queries.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { formatMs, formatTimeOfDay } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { BackLink, Card, Details, PageHeader, PageLink, Quiet } from '../../components/page.tsx'
import { useResponseBody } from '../../components/response-body.tsx'
import { StatusTag } from '../../components/signs.tsx'
import { wordsOf } from './event-texts.ts'
import { orderAddress } from './find-order.ts'
import classes from './order-life.module.css'
import { StateTag } from './orders-table.tsx'
import * as texts from './texts.ts'

/** How often an order is read that has not ended. */
const READ_EVERY_MS = 2_000

/** The life of one order, by its request id. */
export default function OrderPage({ id }: { readonly id: string }) {
  const life = useLiveQuery(getOrderLife, READ_EVERY_MS, false, { params: { id } })
  const { data } = life
  return (
    <>
      <BackLink href="/orders">{texts.back}</BackLink>
      <PageHeader
        title={`${texts.title} ${data?.clientOrderId ?? data?.orderId ?? id}`}
        description={data && texts.meaning(data)}
        actions={data && <StateTag order={data} />}
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

/** Everything that happened to an order, one below the other, the oldest first. */
function TimeLine({ life: { events, exchange, createdAt } }: { readonly life: OrderLife }) {
  const startMs = Date.parse(createdAt)
  return (
    <ol className={classes.line}>
      {events.map((event, at) => {
        const { title, detail, tone } = wordsOf(event, exchange)
        const atMs = Date.parse(event.at)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: events are only added at the end.
          <li key={at} className={classes.event} data-tone={tone}>
            <Text component="span" fw={600} fz="sm" mr="xs">
              {title}
            </Text>
            <Text component="time" dateTime={event.at} fz="xs" c="dimmed" title={event.at}>
              {`${formatTimeOfDay(atMs)}, ${spanText(atMs - startMs)}`}
            </Text>
            {detail !== undefined && detail !== '' && <Quiet>{detail}</Quiet>}
            {event.requestId !== undefined && (
              <PageLink href={orderAddress(event.requestId)}>{texts.other}</PageLink>
            )}
          </li>
        )
      })}
    </ol>
  )
}

const MINUTE_MS = 60_000

/** How long after the order was received. */
function spanText(ms: number): string {
  const long = Math.abs(ms)
  const span = long < 10 * MINUTE_MS ? formatMs(long) : `${Math.round(long / MINUTE_MS)} min`
  return ms < 0 ? texts.beforeIt(span) : `+${span}`
}

const { facts } = texts

/** What is known of the order, and where more is to be found. */
function OrderFacts({ life }: { readonly life: OrderLife }) {
  const logs = `/logs?${new URLSearchParams({ q: life.id })}`
  const rows = [
    [facts.asks, texts.list.order(life)],
    [facts.amounts, texts.amounts(life)],
    [facts.filled, life.filled === null ? null : texts.list.filled(life.filled, life.averagePrice)],
    [facts.worth, life.value === null ? null : texts.list.value(life.value)],
    [
      facts.client,
      <PageLink key="client" href={`/client-credentials/${life.clientRow}`}>
        {life.clientId}
      </PageLink>,
    ],
    [facts.exchange, EXCHANGE_NAMES[life.exchange]],
    [facts.endpoint, `${life.method} ${life.endpoint}`],
    ...(
      [
        [facts.clientOrderId, life.clientOrderId],
        [facts.orderId, life.orderId],
        [facts.requestId, life.id],
        [facts.idempotencyKey, life.idempotencyKey],
      ] as const
    ).map(([label, id]) => [label, <Id key={label} of={label} id={id} />] as const),
    [facts.keys, life.keys && keysText(life.keys)],
    [facts.open, life.mayBeOpen ? facts.mayBeOpen : null],
    [facts.lookups, life.lookups === 0 ? null : life.lookups],
    [
      facts.logs,
      life.logIds.length === 0 ? (
        facts.noLogs
      ) : (
        <PageLink key="logs" href={logs}>
          {facts.logsLink}
        </PageLink>
      ),
    ],
  ] as const
  return (
    <Card title={facts.title}>
      <Details rows={rows.filter(([, value]) => value !== null)} />
    </Card>
  )
}

function keysText({ note, isStored }: NonNullable<OrderLife['keys']>): string {
  return isStored ? facts.storedKeys(note) : facts.oldKeys
}

function Id({ of, id }: { readonly of: string; readonly id: string | null }) {
  if (id === null) return facts.none
  return (
    <Group gap={4} wrap="nowrap">
      <code>{id}</code>
      <CopyButton value={id} label={of} />
    </Group>
  )
}

/** The stored response, byte for byte. */
function ResponseCard({ response }: Pick<OrderLife, 'response'>) {
  const { buttons, body } = useResponseBody(response?.body ?? '')
  const { title, description, none } = texts.response
  if (response === null)
    return (
      <Card title={title}>
        <Quiet>{none}</Quiet>
      </Card>
    )
  return (
    <Card title={title} description={description} actions={buttons}>
      <Group gap="xs" mb="sm">
        <StatusTag status={response.statusCode} />
        <Quiet fz="xs">{response.contentType}</Quiet>
      </Group>
      {body}
    </Card>
  )
}
