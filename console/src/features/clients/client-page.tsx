import { Alert, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { QueryView } from '../../api/queries.tsx'
import { Icon } from '../../components/icons.tsx'
import { lazyPart } from '../../components/load-ahead.ts'
import { BackLink, PageHeader } from '../../components/page.tsx'
import { KeysCard, OrdersCard } from './client-cards.tsx'
import { ClientNow } from './client-now.tsx'
import * as texts from './client-page-texts.ts'
import { ClientBadges, StateCard, useChangeState, useClientLimits } from './client-state.tsx'
import { StopButton, StopCard, useClientStop } from './client-stop.tsx'
import { SecretsCard } from './secrets-card.tsx'
import { useClients } from './use-clients.ts'

// Below the first screen: the sentences of the audit trail are long, and so is what forms need.
const late = () => import('./late-cards.tsx')
const HeartbeatCard = lazyPart(
  async () => ({ default: (await late()).HeartbeatCard }),
  <Skeleton height={160} />,
)
const StreamsCard = lazyPart(
  async () => ({ default: (await late()).StreamsCard }),
  <Skeleton height={160} />,
)
const ChangesCard = lazyPart(async () => ({ default: (await late()).ChangesCard }))
const LimitsCard = lazyPart(() => import('./limits-card.tsx'), <Skeleton height={160} />)

/** One client: what it does, what it may, what was changed, and what stops it. */
export default function ClientPage({ id }: { readonly id: number }) {
  const clients = useClients()
  const limits = useClientLimits(id)
  const clientStop = useClientStop(id)
  const changeState = useChangeState(id, limits.data)
  const client = clients.data?.find((each) => each.id === id)
  const isGone = clients.data !== undefined && client === undefined
  const logsAddress = `/logs?${new URLSearchParams({ client: client?.clientId ?? '' })}`

  return (
    <>
      <BackLink href="/client-credentials">{texts.back}</BackLink>
      <PageHeader
        title={client?.clientId ?? texts.title(id)}
        description={client?.description}
        actions={
          client &&
          (limits.data !== undefined || limits.error !== undefined) && (
            <>
              {limits.data && <ClientBadges client={client} limits={limits.data} />}
              <StopButton key={id} client={client} limits={limits.data} clientStop={clientStop} />
            </>
          )
        }
      />
      {isGone && !clients.isReading ? (
        <Alert color="yellow" icon={<Icon name="alert" />}>
          {texts.gone}
        </Alert>
      ) : (
        <QueryView query={limits} what={texts.what}>
          {(data) => (
            <Stack gap="md">
              <StopCard {...clientStop} />
              <ClientNow id={id} limits={data} query={limits} />
              {client !== undefined && <OrdersCard clientId={client.clientId} />}
              <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
                <StateCard
                  limits={data}
                  isPending={changeState.isPending}
                  onChange={changeState.set}
                />
                {client !== undefined && <KeysCard clientId={client.clientId} />}
              </SimpleGrid>
              <LimitsCard
                key={id}
                id={id}
                limits={data}
                logsAddress={logsAddress}
                onShadow={() => changeState.set({ mode: 'shadow' })}
              />
              <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
                {client !== undefined && (
                  <SecretsCard
                    client={client}
                    limits={data}
                    isChanging={changeState.isPending}
                    onBearer={(secretAsBearer) => changeState.set({ secretAsBearer })}
                  />
                )}
                <HeartbeatCard id={id} />
              </SimpleGrid>
              <StreamsCard id={id} />
              {client !== undefined && <ChangesCard clientId={client.clientId} />}
            </Stack>
          )}
        </QueryView>
      )}
    </>
  )
}
