import { useState } from 'react'
import { create } from 'zustand'
import type { CallInput } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import type { FormValues } from './form-request.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import { outcomeKindOf } from './outcome-kind.ts'
import type { Outcome } from './use-try-it.ts'

export interface OrderAttempt {
  readonly request: CallInput
  /** What was typed for it, without secrets. */
  readonly values: FormValues
  readonly key: string
  /** The order may stand at the exchange. */
  readonly isUnknown: boolean
}

/**
 * The attempts that are under way or failed, by endpoint. Of the tab, not of the form: a person who
 * comes back to the page is asked about an order that may stand.
 */
const useAttempts = create<Readonly<Record<string, OrderAttempt | undefined>>>(() => ({}))

useSession.subscribe(({ session }) => {
  if (session === null) useAttempts.setState({}, true)
})

/**
 * The idempotency key of what a form would send: a new one for each order, and the same one as long
 * as an order that failed is sent again unchanged.
 */
export function useOrderKey(endpointId: string, request: CallInput) {
  const [fresh, setFresh] = useState(newIdempotencyKey)
  const failed = useAttempts((attempts) => attempts[endpointId])
  // An order that may stand must not go out again as another one.
  useUnsentForm<OrderAttempt>(
    `order ${endpointId}`,
    () => failed ?? null,
    (attempt) => useAttempts.setState({ [endpointId]: attempt }),
  )
  const isSame = JSON.stringify(failed?.request) === JSON.stringify(request)
  return {
    key: failed !== undefined && isSame ? failed.key : fresh,
    /** For an order that is another one even when it looks the same. */
    freshKey: fresh,
    /**
     * The last attempt, when it failed or nobody knows yet; undefined when there is nothing to try
     * again.
     */
    failed,
    /** Call it before each attempt is sent. Call what it returns with the outcome. */
    begin(attempt: Omit<OrderAttempt, 'isUnknown'>): (outcome: Outcome) => void {
      const isRetryOfUnknown = failed?.isUnknown === true && failed.key === attempt.key
      useAttempts.setState({ [endpointId]: { ...attempt, isUnknown: true } })
      return (outcome) => {
        if (attempt.key === fresh) setFresh(newIdempotencyKey())
        // Another order was sent in between, or the session is over.
        if (useAttempts.getState()[endpointId]?.key !== attempt.key) return
        const kind = outcomeKindOf(outcome, isRetryOfUnknown)
        const left = kind === 'settled' ? undefined : { ...attempt, isUnknown: kind === 'unknown' }
        useAttempts.setState({ [endpointId]: left })
      }
    },
  }
}
