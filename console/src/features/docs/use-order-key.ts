import { useState } from 'react'
import type { CallInput } from '../../api/client.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import { outcomeKindOf } from './outcome-kind.ts'
import type { Outcome } from './use-try-it.ts'

export interface OrderAttempt {
  readonly request: CallInput
  readonly key: string
  /** The order may stand at the exchange. */
  readonly isUnknown: boolean
}

/**
 * The idempotency key of what a form would send: a new one for each order, and the same one as long as an order that
 * failed is sent again unchanged.
 */
export function useOrderKey(request: CallInput) {
  const [fresh, setFresh] = useState(newIdempotencyKey)
  const [failed, setFailed] = useState<OrderAttempt | null>(null)
  const isSame = failed !== null && JSON.stringify(failed.request) === JSON.stringify(request)
  return {
    key: isSame ? failed.key : fresh,
    /** For an order that is another one even when it looks the same. */
    freshKey: fresh,
    /** The last attempt, when it failed; null when there is nothing to try again. */
    failed,
    /** To be told what became of each attempt. */
    settle(attempt: Omit<OrderAttempt, 'isUnknown'>, outcome: Outcome) {
      const isRetryOfUnknown = failed?.isUnknown === true && failed.key === attempt.key
      const kind = outcomeKindOf(outcome, isRetryOfUnknown)
      setFailed(kind === 'settled' ? null : { ...attempt, isUnknown: kind === 'unknown' })
      if (attempt.key === fresh) setFresh(newIdempotencyKey())
    },
  }
}
