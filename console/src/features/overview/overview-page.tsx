import { Button, SimpleGrid, Stack } from '@mantine/core'
import { Icon } from '../../components/icons.tsx'
import { LiveSign } from '../../components/live-sign.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { AuthenticationCard } from './authentication-card.tsx'
import { CopyApiKeyButton } from './copy-api-key-button.tsx'
import { GettingStartedCard } from './getting-started-card.tsx'
import { OverviewCards } from './overview-cards.tsx'
import { RateLimitCard } from './rate-limit-card.tsx'
import { texts } from './texts.ts'
import { useQueueHistory } from './use-queue-history.ts'
import { STATS_EVERY_MS, useStats } from './use-stats.ts'

export default function OverviewPage() {
  const { data: stats, error, readAtMs } = useStats()
  const queue = useQueueHistory(stats?.queueSize, readAtMs)
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<Icon name="download" size={16} />}
              onClick={() => console.info(texts.exportMessage)}
            >
              {texts.exportDocs}
            </Button>
            <CopyApiKeyButton />
          </>
        }
      />
      <OverviewCards stats={stats} />
      <Stack gap="md">
        <LiveSign
          readAtMs={readAtMs}
          hasFailed={error !== undefined}
          everySeconds={STATS_EVERY_MS / 1000}
        />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <GettingStartedCard stats={stats} />
          <RateLimitCard stats={stats} queue={queue} />
        </SimpleGrid>
        <AuthenticationCard />
      </Stack>
    </>
  )
}
