import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { reasonPhrase } from '../../api/api-error.ts'
import type { ApiResponse } from '../../api/client.ts'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Coloured } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { downloadText } from '../../components/files.ts'
import { formatBytes, formatMs } from '../../components/format.ts'
import { formatJson, isJson } from '../../components/format-json.ts'
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
    <Group gap="sm" p="sm" wrap="nowrap">
      <Loader size="sm" />
      <div>
        <Text fz="sm">{texts.waiting(seconds)}</Text>
        {isOrder && (
          <Text fz="xs" c="dimmed">
            {texts.slowOrder}
          </Text>
        )}
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

/** More text than this makes the page slow; the rest can be downloaded. */
const SHOWN_LENGTH_MAX = 100_000

interface ResponseViewProps {
  readonly response: ApiResponse
  readonly tookMs: number
}

/** Status, facts and body of a response. The body is shown as received, every digit of it. */
function ResponseView({ response, tookMs }: ResponseViewProps) {
  const { status, statusText, text } = response
  const [isFormatted, setFormatted] = useState(true)
  const isLong = text.length > SHOWN_LENGTH_MAX
  const canFormat = !isLong && isJson(text)
  const shown = text.slice(0, SHOWN_LENGTH_MAX)
  return (
    <>
      <div className={classes.responseBar}>
        <span role="status" className={classes.status}>
          <StatusTag status={status} /> {statusText || reasonPhrase(status)}
        </span>
        {canFormat && (
          <Button
            size="compact-xs"
            variant={isFormatted ? 'light' : 'default'}
            aria-pressed={isFormatted}
            onClick={() => setFormatted(!isFormatted)}
          >
            {texts.format}
          </Button>
        )}
        <CopyButton value={text} label={texts.body} name={texts.copyBody} />
      </div>
      <ResponseFacts response={response} tookMs={tookMs} />
      {text === '' ? (
        <Text fz="sm" c="dimmed" p="sm">
          {texts.emptyBody}
        </Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
        <section className={classes.bodyBox} tabIndex={0} aria-label={texts.responseBody}>
          <pre className={classes.body}>
            {canFormat && isFormatted ? (
              <Formatted json={shown} />
            ) : (
              <Coloured code={shown} language={canFormat ? 'json' : 'plain'} />
            )}
          </pre>
        </section>
      )}
      {isLong && (
        <div className={classes.cut}>
          {texts.cut(formatBytes(shown.length), formatBytes(text.length))}{' '}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => downloadText(`response-${status}.txt`, text)}
          >
            {texts.download}
          </Button>
        </div>
      )}
    </>
  )
}

const NAME = /^("(?:[^"\\]|\\.)*":) /

/**
 * JSON with one value per line. Spaces and lines are drawn and are no text: what is shown, selected
 * and copied is what was received, digit for digit.
 */
function Formatted({ json }: { readonly json: string }) {
  return formatJson(json)
    .split('\n')
    .map((line, index) => {
      const text = line.trimStart()
      const [, name = ''] = NAME.exec(text) ?? []
      return (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never move.
          key={index}
          className={classes.line}
          style={{ paddingLeft: `${line.length - text.length}ch` }}
        >
          {name !== '' && <span className={classes.name}>{name}</span>}
          <Coloured code={name === '' ? text : text.slice(name.length + 1)} language="json" />
        </span>
      )
    })
}

// Headers that help to understand a response, when the gateway reports them.
const HEADERS = [
  'x-queue-wait-ms',
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
] as const

interface ResponseFactsProps {
  readonly response: ApiResponse
  readonly tookMs: number
}

/** How long it took, how long it waited, how big it is, and the id to quote. */
function ResponseFacts({ response: { headers, text }, tookMs }: ResponseFactsProps) {
  const facts = [
    [texts.facts.time, formatMs(tookMs)],
    [texts.facts.size, formatBytes(new Blob([text]).size)],
    ...HEADERS.flatMap((header) => {
      const value = headers.get(header)
      return value === null ? [] : [[texts.facts[header], shown(header, value)] as const]
    }),
  ] as const
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
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
