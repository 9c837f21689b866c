import { Box, SimpleGrid, Stack } from '@mantine/core'
import { HeaderButton } from '../../components/header-button.tsx'
import { LiveSign } from '../../components/live-sign.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { AttentionCard } from './attention-card.tsx'
import { AuthenticationCard } from './authentication-card.tsx'
import { CopyApiKeyButton } from './copy-api-key-button.tsx'
import { GettingStartedCard } from './getting-started-card.tsx'
import { OverviewCards } from './overview-cards.tsx'
import { RateLimitCard } from './rate-limit-card.tsx'
import * as texts from './texts.ts'
import { TopClientsCard } from './top-clients-card.tsx'
import { RequestsCard, TimesCard } from './traffic-cards.tsx'
import { useAboveKnown } from './use-above-known.ts'
import { useFirstSteps } from './use-first-steps.ts'
import { useQueueHistory } from './use-queue-history.ts'
import { STATS_EVERY_MS, useStats } from './use-stats.ts'
import { useTraffic } from './use-traffic.ts'

export default function OverviewPage() {
  const statistics = useStats()
  const { data: stats, error, readAtMs } = statistics
  const queue = useQueueHistory(stats?.queueSize, readAtMs)
  const traffic = useTraffic()
  const steps = useFirstSteps()
  const isAboveKnown = useAboveKnown()
  const gettingStarted = <GettingStartedCard stats={stats} steps={steps} />
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <HeaderButton icon="download" onClick={() => console.info(texts.exportMessage)}>
              {texts.exportDocs}
            </HeaderButton>
            <CopyApiKeyButton />
          </>
        }
      />
      <Stack gap="md" mb="md" data-wide>
        {/* Nothing else can be done before there is a client. */}
        {steps.hasClient === false && gettingStarted}
        <AttentionCard isKnown={isAboveKnown} />
      </Stack>
      <div style={isAboveKnown ? undefined : { visibility: 'hidden' }}>
        <Box mb="md">
          <LiveSign
            readAtMs={readAtMs}
            hasFailed={error !== undefined}
            everySeconds={STATS_EVERY_MS / 1000}
          />
        </Box>
        <OverviewCards statistics={statistics} avgQueueMs={traffic.data?.avgQueueMs ?? null} />
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <RequestsCard traffic={traffic} />
            <TimesCard traffic={traffic} />
            <TopClientsCard />
            <RateLimitCard stats={stats} queue={queue} />
          </SimpleGrid>
          {steps.hasClient !== false && gettingStarted}
          <AuthenticationCard />
        </Stack>
      </div>
    </>
  )
}
