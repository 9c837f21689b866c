import type { ExchangeCode } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { RejectionClass, Verdict } from '../exchanges/protocol/verdict.ts'
import type { RequestContext } from './request-context.ts'

/** The result of a call to an exchange: ok, why it was rejected, or why its outcome is unknown. */
export type CallResult = 'ok' | RejectionClass | 'unclear' | TransportFailure
type TransportFailure = (typeof FAILURES)[keyof typeof FAILURES] | 'failed'

const FAILURES = {
  EXCHANGE_UNREACHABLE: 'unreachable',
  EXCHANGE_TIMEOUT: 'timeout',
  EXCHANGE_CONNECTION_LOST: 'connection-lost',
  EXCHANGE_ANSWER_TOO_LARGE: 'too-large',
  EXCHANGE_REQUEST_INVALID: 'not-http',
} as const

/** One finished call to an exchange: its response arrived, or will not. */
export interface CallReport {
  readonly exchange: ExchangeCode
  readonly call: UpstreamCall
  /** The request behind the call; undefined for the gateway's own calls. */
  readonly context: RequestContext | undefined
  /** The time in the queue since it was submitted. */
  readonly waitedMs: number
  /** When its slot came, on the monotonic clock. */
  readonly startedAtMs: number
  readonly durationMs: number
  /** Undefined when there was no response. */
  readonly status: number | undefined
  readonly result: CallResult
  /** How many calls are left, by the response (`remainingLimit`). */
  readonly remaining: number | undefined
}

export function resultOf(verdict: Verdict): CallResult {
  if (verdict.kind === 'ok') return 'ok'
  return verdict.kind === 'unknown' ? 'unclear' : verdict.rejection.class
}

export function failureOf(error: unknown): CallResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code in FAILURES ? FAILURES[code as keyof typeof FAILURES] : 'failed'
}
