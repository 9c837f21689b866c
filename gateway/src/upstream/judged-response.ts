import type { UpstreamResponse } from '../exchanges/exchange.ts'
import { complaintOf, type Verdict } from '../exchanges/protocol/verdict.ts'
import type { LaneVerdict, Outcome } from '../lane/lane-types.ts'
import { JournalTooSlowError } from './errors.ts'

/** An exchange's response and its verdict. */
export interface JudgedResponse {
  readonly response: UpstreamResponse
  readonly verdict: Verdict
}

/** The exchange did nothing, because it rejected the timestamp of the request. */
export function isTimeRejection({ verdict }: JudgedResponse): boolean {
  return verdict.kind === 'rejected' && verdict.rejection.class === 'time'
}

/** The exchange did nothing, because the call is for the other kind of account. */
export function isAccountKindRejection({ verdict }: Pick<JudgedResponse, 'verdict'>): boolean {
  return verdict.kind === 'rejected' && verdict.rejection.class === 'account-kind'
}

/** The exchange did nothing, and the same order may be sent again. */
export function isTurnedAway(judged: JudgedResponse): boolean {
  return (
    judged.verdict.kind === 'rate-limited' ||
    isTimeRejection(judged) ||
    isAccountKindRejection(judged)
  )
}

/**
 * What a call's outcome says about the exchange: whether its lane continues, pauses, or counts the
 * exchange as down. Only a rejection pauses the lane: a header about remaining calls does not,
 * because it counts one endpoint (docs/exchanges/bitget.md, 9).
 */
export function toLaneVerdict(outcome: Outcome<JudgedResponse>): LaneVerdict {
  if ('error' in outcome) {
    if (outcome.error instanceof JournalTooSlowError) return { kind: 'ok', goesAgain: true }
    if (!isTransportFailure(outcome.error)) return { kind: 'ok' }
    // Without a connection no call gets through. A lost or late response may be due to the call.
    return { kind: 'down', isCertain: outcome.error.code === 'EXCHANGE_UNREACHABLE' }
  }
  const { verdict, response } = outcome.response
  switch (verdict.kind) {
    case 'rate-limited':
      // Every rate limit rejection proves that nothing was done (docs/exchanges, sections on
      // errors). With 418 MEXC bans the address for all (docs/exchanges/mexc.md, 6).
      return {
        kind: 'rate-limited',
        notTaken: true,
        isCertain: response.status === 418,
        ...(verdict.retryAfterMs === undefined ? {} : { retryAfterMs: verdict.retryAfterMs }),
      }
    case 'unknown':
      return isOfTheCall(response.status, verdict.exchangeCode)
        ? { kind: 'ok' }
        : { kind: 'down', why: complaintOf(verdict) }
    default:
      return { kind: 'ok' }
  }
}

/**
 * A response with an error code is about the call, and so is one with HTTP 4xx. Any caller can
 * cause one: by a body that is too large or that a firewall does not like, or 603, "repeated
 * request". It must not stop the exchange for others, nor the cancels of the same client. Two
 * statuses are about the exchange: 408, a timeout, and 403, with which a firewall closes it to the
 * gateway's address.
 */
function isOfTheCall(status: number, exchangeCode: string | undefined): boolean {
  if (status < 500 && exchangeCode !== undefined) return true
  return status >= 400 && status < 500 && status !== 403 && status !== 408
}

function isTransportFailure(error: unknown): error is Error & { readonly code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EXCHANGE_UNREACHABLE' ||
      error.code === 'EXCHANGE_TIMEOUT' ||
      error.code === 'EXCHANGE_CONNECTION_LOST')
  )
}
