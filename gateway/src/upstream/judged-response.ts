import type { UpstreamResponse } from '../exchanges/exchange.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import type { LaneVerdict, Outcome } from '../lane/lane-types.ts'

/** A response of an exchange, and what it means. */
export interface JudgedResponse {
  readonly response: UpstreamResponse
  readonly verdict: Verdict
}

/** The exchange did nothing because of the timestamp that the request carried. */
export function isTimeRejection({ verdict }: JudgedResponse): boolean {
  return verdict.kind === 'rejected' && verdict.rejection.class === 'time'
}

/** The exchange did nothing, and the same call may be sent again. */
export function isTurnedAway(judged: JudgedResponse): boolean {
  return judged.verdict.kind === 'rate-limited' || isTimeRejection(judged)
}

/** After a good response that leaves no call in the exchange's own count, the lane rests this long. */
const RATE_HEADER_PAUSE_MS = 1000

/** What an outcome says about the exchange: whether its lane continues, rests, or counts it as down. */
export function toLaneVerdict(outcome: Outcome<JudgedResponse>): LaneVerdict {
  if ('error' in outcome)
    return isTransportFailure(outcome.error) ? { kind: 'down' } : { kind: 'ok' }
  const { verdict, response } = outcome.response
  switch (verdict.kind) {
    case 'rate-limited':
      // Every rejection of this kind proves that nothing was done (docs/exchanges, sections on errors).
      return verdict.retryAfterMs === undefined
        ? { kind: 'rate-limited', notTaken: true }
        : { kind: 'rate-limited', notTaken: true, retryAfterMs: verdict.retryAfterMs }
    case 'unknown':
      return isOfTheCall(response.status, verdict.exchangeCode) ? { kind: 'ok' } : { kind: 'down' }
    default:
      // Bitget tells what is left of its own count; one source, its FAQ.
      return response.headers['x-mbx-used-remain-limit'] === '0'
        ? { kind: 'ok', pauseMs: RATE_HEADER_PAUSE_MS }
        : { kind: 'ok' }
  }
}

/**
 * A page that says that there is no such address or method, or a code of the exchange's own: any caller can cause
 * it (603 is "repeated request"), and would stop the exchange for everyone by five such calls.
 */
function isOfTheCall(status: number, exchangeCode: string | undefined): boolean {
  if (status < 500 && exchangeCode !== undefined) return true
  return [400, 404, 405, 414].includes(status)
}

function isTransportFailure(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EXCHANGE_UNREACHABLE' ||
      error.code === 'EXCHANGE_TIMEOUT' ||
      error.code === 'EXCHANGE_CONNECTION_LOST')
  )
}
