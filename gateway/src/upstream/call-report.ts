import type { ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { RejectionClass, Verdict } from '../exchanges/protocol/verdict.ts'
import type { RequestContext } from './request-context.ts'

/** What a call to an exchange came to: done, why it was rejected, or why its outcome is not known. */
export type CallResult = 'ok' | RejectionClass | 'unclear' | TransportFailure
type TransportFailure = (typeof FAILURES)[keyof typeof FAILURES] | 'failed'

const FAILURES = {
  EXCHANGE_UNREACHABLE: 'unreachable',
  EXCHANGE_TIMEOUT: 'timeout',
  EXCHANGE_CONNECTION_LOST: 'connection-lost',
  EXCHANGE_ANSWER_TOO_LARGE: 'too-large',
  EXCHANGE_REQUEST_INVALID: 'not-http',
} as const

/** One call to an exchange, when its response is there or will not come. */
export interface CallReport {
  readonly exchange: ExchangeCode
  readonly call: UpstreamCall
  /** On whose behalf; undefined for the gateway's own calls. */
  readonly context: RequestContext | undefined
  /** In the queue, since it was submitted. */
  readonly waitedMs: number
  /** When its slot was there, on the monotonic clock. */
  readonly startedAtMs: number
  readonly durationMs: number
  /** Undefined when no response came. */
  readonly status: number | undefined
  readonly result: CallResult
}

export function resultOf(verdict: Verdict): CallResult {
  if (verdict.kind === 'ok') return 'ok'
  return verdict.kind === 'unknown' ? 'unclear' : verdict.rejection.class
}

export function failureOf(error: unknown): CallResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code in FAILURES ? FAILURES[code as keyof typeof FAILURES] : 'failed'
}
