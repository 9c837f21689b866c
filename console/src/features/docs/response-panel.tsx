import { Loader, Text } from '@mantine/core'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { useNow } from '../../components/use-now.ts'
import classes from './docs.module.css'
import { ResponseView } from './response-view.tsx'
import * as texts from './texts.ts'
import type { Outcome, TryIt } from './use-try-it.ts'

interface ResponsePanelProps {
  readonly label: string
  readonly tryIt: TryIt
  readonly isOrder: boolean
}

/** What came back, or what is being waited for. */
export function ResponsePanel({ label, tryIt, isOrder }: ResponsePanelProps) {
  const { outcome, startedAtMs } = tryIt
  return (
    <section className={classes.response} aria-label={label}>
      {startedAtMs !== null && <Waiting sinceMs={startedAtMs} isOrder={isOrder} />}
      {startedAtMs === null && outcome === null && (
        <Text fz="sm" c="dimmed" p="sm">
          {texts.nothingSent}
        </Text>
      )}
      {outcome !== null && <OutcomeView outcome={outcome} isOrder={isOrder} />}
    </section>
  )
}

function Waiting({ sinceMs, isOrder }: { sinceMs: number; isOrder: boolean }) {
  const seconds = Math.max(0, Math.floor((useNow(true) - sinceMs) / 1000))
  return (
    <div className={classes.waiting}>
      <Loader size="sm" />
      <div>
        <Text fz="sm">{texts.waiting(seconds)}</Text>
        {isOrder && (
          <Text fz="xs" c="dimmed">
            {texts.slowOrder}
          </Text>
        )}
      </div>
    </div>
  )
}

function OutcomeView({ outcome, isOrder }: { outcome: Outcome; isOrder: boolean }) {
  if (outcome.kind === 'response')
    return <ResponseView response={outcome.response} tookMs={outcome.tookMs} />
  if (outcome.kind === 'cancelled') {
    return (
      <Text fz="sm" p="sm" role="status">
        {isOrder ? texts.cancelledOrder : texts.cancelled}
      </Text>
    )
  }
  return (
    <div className={classes.failure} role="alert">
      <Text fz="sm" fw={600} c="var(--mantine-color-error)">
        {outcome.message}
      </Text>
      <Text fz="sm">{texts.network(gatewayUrl(), window.location.origin)}</Text>
      {isOrder && <Text fz="sm">{texts.unknownOutcome}</Text>}
    </div>
  )
}
