import type { UpstreamAnswer } from '../exchanges/exchange.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import type { LaneVerdict, Outcome } from '../lane/lane-types.ts'

/** An answer of an exchange, and what it means. */
export interface Delivery {
  readonly answer: UpstreamAnswer
  readonly verdict: Verdict
}

/** After a good answer that leaves no call in the exchange's own count, the lane rests this long. */
const RATE_HEADER_PAUSE_MS = 1000

/** What an outcome says about the exchange: whether its lane goes on, rests, or counts it as down. */
export function judgeDelivery(outcome: Outcome<Delivery>): LaneVerdict {
  if ('error' in outcome)
    return isTransportFailure(outcome.error) ? { kind: 'down' } : { kind: 'ok' }
  const { verdict, answer } = outcome.response
  switch (verdict.kind) {
    case 'rate-limited':
      // Every refusal of this kind is proof that nothing was done (exchanges/*.md, sections on errors).
      return verdict.retryAfterMs === undefined
        ? { kind: 'rate-limited', notTaken: true }
        : { kind: 'rate-limited', notTaken: true, retryAfterMs: verdict.retryAfterMs }
    case 'unknown':
      return isOfTheCall(answer.status, verdict.exchangeCode) ? { kind: 'ok' } : { kind: 'down' }
    default:
      // Bitget tells what is left of its own count; one source, its FAQ.
      return answer.headers['x-mbx-used-remain-limit'] === '0'
        ? { kind: 'ok', pauseMs: RATE_HEADER_PAUSE_MS }
        : { kind: 'ok' }
  }
}

/**
 * A page that says that there is no such address, or method, or a code of the exchange's own: whoever asks can bring
 * it about (603 is "repeated request"), and would shut the exchange for everyone by five such calls.
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
