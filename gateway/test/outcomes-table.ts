import type { Fault } from '../paper-exchange/src/faults.ts'
import type { PlaceKind } from './campaign/intent.ts'

/** What a bot sees of an order, change or cancel that met with a misbehaving exchange. */
export interface Outcome {
  readonly happens: string
  /** Undefined: the exchange behaves. */
  readonly fault: Fault | undefined
  /** The only ones that do this; absent: all. */
  readonly kinds?: readonly PlaceKind[]
  readonly status: number
  readonly code: string | null
  readonly outcome: 'unknown' | null
  /** Whether the exchange carried it out. */
  readonly exists: boolean
  readonly state: 'answered' | 'refused' | 'resolved' | 'unknown'
}

const done = { status: 200, code: null, outcome: null, exists: true } as const
const answered = { ...done, state: 'answered' } as const
const found = { ...done, state: 'resolved' } as const
const unknown = {
  status: 504,
  code: 'OUTCOME_UNKNOWN',
  outcome: 'unknown',
  exists: false,
  state: 'unknown',
} as const

/** The connection is closed before: the gateway does not wait so long. */
export const NEVER_MS = 3_600_000

/** The same for every route that trades. */
export const outcomes: readonly Outcome[] = [
  { happens: 'nothing special', fault: undefined, ...answered },
  { happens: 'slow response', fault: { kind: 'slow', delayMs: 200 }, ...answered },
  { happens: 'HTTP 429, once', fault: { kind: '429', retryAfterSeconds: 1 }, ...answered },
  { happens: 'HTTP 418, once', fault: { kind: '418', retryAfterSeconds: 1 }, ...answered },
  {
    happens: 'code 510 (MEXC futures, too frequent), once',
    fault: { kind: '510' },
    kinds: ['mx-futures', 'mx-raw'],
    ...answered,
  },
  {
    happens: "the exchange's clock is an hour off",
    fault: { kind: 'wrong-clock', offsetMs: 3_600_000 },
    ...answered,
  },
  {
    happens: 'carried out, response after the time limit',
    fault: { kind: 'slow', delayMs: NEVER_MS },
    ...found,
  },
  { happens: 'carried out, no response', fault: { kind: 'timeout-after' }, ...found },
  { happens: 'carried out, connection reset', fault: { kind: 'reset-after' }, ...found },
  { happens: 'carried out, HTTP 5xx', fault: { kind: '5xx', when: 'after' }, ...found },
  { happens: 'carried out, error page', fault: { kind: 'html', when: 'after' }, ...found },
  {
    happens: "carried out, a firewall's page (HTTP 403)",
    fault: { kind: 'html', status: 403, when: 'after' },
    ...found,
  },
  {
    happens: "carried out, a CDN's JSON (HTTP 451)",
    fault: { kind: 'cdn', when: 'after' },
    ...found,
  },
  { happens: 'carried out, truncated response', fault: { kind: 'truncated' }, ...found },
  { happens: 'carried out, garbage', fault: { kind: 'garbage' }, ...found },
  {
    happens: 'carried out, response too large',
    fault: { kind: 'oversized', bytes: 9_000_000 },
    ...found,
  },
  { happens: 'not carried out, no response', fault: { kind: 'timeout-before' }, ...unknown },
  { happens: 'not carried out, connection reset', fault: { kind: 'reset-before' }, ...unknown },
  { happens: 'not carried out, HTTP 5xx', fault: { kind: '5xx' }, ...unknown },
  { happens: 'not carried out, error page', fault: { kind: 'html' }, ...unknown },
  {
    happens: "not carried out, a firewall's page (HTTP 403)",
    fault: { kind: 'html', status: 403 },
    ...unknown,
  },
  { happens: "not carried out, a CDN's JSON (HTTP 451)", fault: { kind: 'cdn' }, ...unknown },
]

/** What a bot sees that retries with the same key. */
function onRetry({ outcome }: Outcome): string {
  return outcome === 'unknown'
    ? 'the same, until it is known; then 502 `NOT_CARRIED_OUT`, `not-done`'
    : 'the same'
}

/** The table of docs/outcomes.md. */
export function outcomesTable(): string {
  const rows = outcomes.map((row) => [
    row.happens,
    `${row.status}`,
    row.code === null ? '' : `\`${row.code}\``,
    row.outcome === null ? '' : `\`${row.outcome}\``,
    row.exists ? 'yes' : 'no',
    `\`${row.state}\``,
    onRetry(row),
  ])
  const head = [
    'At the exchange',
    'HTTP',
    'code',
    'outcome',
    'Order exists',
    'state',
    'Same key again',
  ]
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
