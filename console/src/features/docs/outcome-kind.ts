import { ownErrorOf } from '../../api/api-error.ts'
import type { ApiResponse } from '../../api/client.ts'

/**
 * What became of a request: a response of any status, no response, or nobody waiting for it any
 * more.
 */
export type Outcome =
  | { readonly kind: 'response'; readonly response: ApiResponse; readonly tookMs: number }
  | { readonly kind: 'failure'; readonly message: string }
  | { readonly kind: 'cancelled' }

/**
 * What a request that trades came to: `settled`, so that another one is another order; `failed`, so
 * that the same can be sent again; `unknown`, so that it may stand at the exchange.
 * @param isRetryOfUnknown the same request went out before, and may stand since
 */
export type OutcomeKind = 'settled' | 'failed' | 'unknown'

export function outcomeKindOf(outcome: Outcome, isRetryOfUnknown = false): OutcomeKind {
  if (outcome.kind !== 'response') return 'unknown'
  const { status, text } = outcome.response
  const outcomeWord = outcomeIn(text)
  if (outcomeWord === 'not-done') return 'settled'
  // A rejection of the second attempt, for example of a token that expired in between, says nothing
  // of the first.
  if (outcomeWord === 'unknown' || (isRetryOfUnknown && (status < 200 || status > 299)))
    return 'unknown'
  if (outcomeWord === 'not-sent' || status === 429 || status === 503) return 'failed'
  // Without a word of what became of it: a fault of the gateway, or a proxy on the way that gave
  // up.
  return status >= 500 ? 'unknown' : 'settled'
}

/** The `outcome` of an error body; undefined where it has none. */
function outcomeIn(text: string): unknown {
  try {
    return ownErrorOf(JSON.parse(text)).outcome
  } catch {
    return undefined // Not JSON: not the gateway's own error.
  }
}

/** A key for one order: 128 random bits. `crypto.randomUUID` does not exist on plain http. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
