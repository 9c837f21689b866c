import type { Outcome } from './use-try-it.ts'

/**
 * What a request that trades came to: `settled`, so that another one is another order; `failed`, so that the same can
 * be sent again; `unknown`, so that it may stand at the exchange.
 */
export type OutcomeKind = 'settled' | 'failed' | 'unknown'

export function outcomeKindOf(outcome: Outcome): OutcomeKind {
  if (outcome.kind !== 'answer') return 'unknown'
  const { status, text } = outcome.answer
  const told = toldOutcome(text)
  if (told === 'not-done') return 'settled'
  if (told === 'unknown') return 'unknown'
  if (told === 'not-sent') return 'failed'
  // Without a word of the gateway it was a proxy on the way that gave up.
  if (status === 502 || status === 504) return 'unknown'
  return status === 429 || status >= 500 ? 'failed' : 'settled'
}

/** The `outcome` of an error body; undefined where it has none. */
function toldOutcome(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'outcome' in body ? body.outcome : undefined
  } catch {
    return undefined // Not JSON: not the gateway's own error.
  }
}
