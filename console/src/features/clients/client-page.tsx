import { Alert, Anchor, SimpleGrid, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { QueryView } from '../../api/query-view.tsx'
import { Icon } from '../../components/icons.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { ClientBadges } from './client-badges.tsx'
import classes from './client-page.module.css'
import { HeartbeatCard } from './heartbeat-card.tsx'
import { LimitUseCard } from './limit-use-card.tsx'
import { LimitsCard } from './limits-card.tsx'
import * as limitsTexts from './limits-texts.ts'
import { SecretsCard } from './secrets-card.tsx'
import { StateCard } from './state-card.tsx'
import { StopCard } from './stop-card.tsx'
import { useChangeState } from './use-change-state.tsx'
import { useClientLimits } from './use-client-limits.ts'
import { useClients } from './use-clients.ts'

/** One client: what it may trade, how much of that is used, and what stops it. */
export default function ClientPage({ id }: { readonly id: number }) {
  const clients = useClients()
  const limits = useClientLimits(id)
  const changeState = useChangeState(id, limits.data)
  const client = clients.data?.find((each) => each.id === id)
  const isGone = clients.data !== undefined && client === undefined
  const logsAddress = `/logs?${new URLSearchParams({ client: client?.clientId ?? '' })}`

  return (
    <>
      <Anchor component={Link} href="/client-credentials" fz="sm" className={classes.back}>
        <Icon name="chevronLeft" size={16} />
        {limitsTexts.back}
      </Anchor>
      <PageHeader
        title={client?.clientId ?? limitsTexts.title(id)}
        description={client?.description}
        actions={client && limits.data && <ClientBadges client={client} limits={limits.data} />}
      />
      {isGone && !clients.isReading ? (
        <Alert color="yellow" icon={<Icon name="alert" />}>
          {limitsTexts.gone}
        </Alert>
      ) : (
        <QueryView query={limits} what={limitsTexts.what}>
          {(data) => (
            <Stack gap="lg">
              <StateCard
                limits={data}
                isPending={changeState.isPending}
                onState={(state) => changeState.set({ state })}
                onMode={(mode) => changeState.set({ mode })}
              />
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                <StopCard id={id} clientId={client?.clientId ?? `${id}`} limits={data} />
                <LimitUseCard limits={data} query={limits} />
              </SimpleGrid>
              <LimitsCard
                key={id}
                id={id}
                limits={data}
                logsAddress={logsAddress}
                onShadow={() => changeState.set({ mode: 'shadow' })}
              />
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                {client !== undefined && <SecretsCard client={client} />}
                <HeartbeatCard id={id} />
              </SimpleGrid>
            </Stack>
          )}
        </QueryView>
      )}
      {changeState.dialog}
    </>
  )
}
