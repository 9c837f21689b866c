import { Group, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { reasonPhrase } from '../../api/api-error.ts'
import type { ApiResponse } from '../../api/client.ts'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { formatBytes, formatMs } from '../../components/format.ts'
import { Details, Quiet } from '../../components/page.tsx'
import { useResponseBody } from '../../components/response-body.tsx'
import { StatusTag } from '../../components/signs.tsx'
import { useNow } from '../../components/timers.ts'
import classes from './docs.module.css'
import type { Outcome } from './outcome-kind.ts'
import * as texts from './texts.ts'
import type { TryIt } from './use-try-it.ts'

interface ResponsePanelProps {
  readonly label: string
  readonly tryIt: TryIt
  readonly isOrder: boolean
}

/** What came back, or what is being waited for. */
export function ResponsePanel({ label, tryIt, isOrder }: ResponsePanelProps) {
  const { outcome, startedAtMs } = tryIt
  const box = useRef<HTMLElement>(null)
  const isShown = startedAtMs !== null || outcome !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: what comes next may be longer.
  useEffect(() => {
    if (isShown) box.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown, outcome])
  return (
    <section ref={box} className={classes.response} aria-label={label}>
      {startedAtMs !== null && <Waiting sinceMs={startedAtMs} isOrder={isOrder} />}
      {startedAtMs === null && outcome === null && <Quiet p="sm">{texts.nothingSent}</Quiet>}
      {outcome !== null && <OutcomeView outcome={outcome} isOrder={isOrder} />}
    </section>
  )
}

function Waiting({ sinceMs, isOrder }: { sinceMs: number; isOrder: boolean }) {
  const seconds = Math.max(0, Math.floor((useNow(true) - sinceMs) / 1000))
  return (
    <Group gap="sm" p="sm" wrap="nowrap">
      <Loader size="sm" />
      <div>
        <Text fz="sm">{texts.waiting(seconds)}</Text>
        {isOrder && <Quiet fz="xs">{texts.slowOrder}</Quiet>}
      </div>
    </Group>
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
    <Stack gap={6} p="sm" role="alert" style={{ overflowWrap: 'anywhere' }}>
      <Text fz="sm" fw={600} c="var(--mantine-color-error)">
        {outcome.message}
      </Text>
      <Text fz="sm">{texts.network(gatewayUrl(), window.location.origin)}</Text>
      {isOrder && <Text fz="sm">{texts.unknownOutcome}</Text>}
    </Stack>
  )
}

interface ResponseViewProps {
  readonly response: ApiResponse
  readonly tookMs: number
}

/** Status, facts and body of a response. */
function ResponseView({ response, tookMs }: ResponseViewProps) {
  const { status, statusText, text } = response
  const { buttons, body } = useResponseBody(text)
  return (
    <>
      <Group gap={6} wrap="nowrap" className={classes.responseBar ?? ''}>
        <span role="status" className={classes.status}>
          <StatusTag status={status} /> {statusText || reasonPhrase(status)}
        </span>
        {buttons}
      </Group>
      <ResponseFacts response={response} tookMs={tookMs} />
      {body}
    </>
  )
}

// Headers that help to understand a response, when the gateway reports them.
const HEADERS = [
  'x-queue-wait-ms',
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
] as const

/** How long it took, how long it waited, how big it is, and the id to quote. */
function ResponseFacts({ response: { headers, text }, tookMs }: ResponseViewProps) {
  const facts = [
    [texts.facts.time, formatMs(tookMs)],
    [texts.facts.size, formatBytes(new Blob([text]).size)],
    ...HEADERS.flatMap((header) => {
      const value = headers.get(header)
      return value === null ? [] : [[texts.facts[header], shown(header, value)] as const]
    }),
  ] as const
  return <Details rows={facts} className={classes.facts} />
}

function shown(header: (typeof HEADERS)[number], value: string) {
  if (header === 'x-queue-wait-ms') return formatMs(Number(value))
  return header === 'retry-after' ? <RetryAfter value={value} /> : value
}

/**
 * A `Retry-After` in seconds, counted down from when it came; a date (RFC 9110, 10.2.3) as it is.
 */
function RetryAfter({ value }: { readonly value: string }) {
  const [cameAtMs] = useState(Date.now)
  const seconds = /^\d+$/.test(value) ? Number(value) : undefined
  const endsAtMs = cameAtMs + (seconds ?? 0) * 1000
  const nowMs = useNow(Date.now() < endsAtMs)
  const left = Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000))
  if (seconds === undefined) return value
  return left === 0 ? texts.waitIsOver : `${left} s`
}
