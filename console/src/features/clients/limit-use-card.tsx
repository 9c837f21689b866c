import { Text } from '@mantine/core'
import { type LimitsWithUsage, limitUse, wouldHaveRefused } from 'schema'
import { shadowWords } from '../../api/nearest-use.ts'
import type { Query } from '../../api/use-query.ts'
import { Card } from '../../components/card.tsx'
import { LiveSign } from '../../components/live-sign.tsx'
import * as limitsTexts from './limits-texts.ts'
import { UsageBar } from './usage-bar.tsx'
import { USAGE_EVERY_MS } from './use-client-limits.ts'

interface LimitUseCardProps {
  readonly limits: LimitsWithUsage
  readonly query: Pick<Query<LimitsWithUsage>, 'readAtMs' | 'error'>
}

export function LimitUseCard({ limits, query }: LimitUseCardProps) {
  const { title, description } = limitsTexts.usage
  const refused = wouldHaveRefused(limits, limits.usage)
  return (
    <Card
      title={title}
      description={description}
      actions={
        <LiveSign
          readAtMs={query.readAtMs}
          hasFailed={query.error !== undefined}
          everySeconds={USAGE_EVERY_MS / 1000}
        />
      }
    >
      {limitUse(limits, limits.usage).map((use) => (
        <UsageBar key={use.limit} use={use} usage={limits.usage} isShadow={refused !== null} />
      ))}
      {refused !== null && (
        <Text fz="sm" mt="md">
          {limitsTexts.inShadow(shadowWords(refused))}
        </Text>
      )}
    </Card>
  )
}
