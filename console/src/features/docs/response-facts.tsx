import type { ApiResponse } from '../../api/client.ts'
import { formatBytes, formatMs } from '../../components/format.ts'
import classes from './docs.module.css'
import { RetryAfter } from './retry-after.tsx'
import * as texts from './texts.ts'

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
export function ResponseFacts({ response: { headers, text }, tookMs }: ResponseFactsProps) {
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
