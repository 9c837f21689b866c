import { useRef, useState } from 'react'
import type { Endpoint } from 'schema'
import { create } from 'zustand'
import { type CallInput, type SendOptions, send } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { useUnsentForm } from '../../api/use-unsent-form.tsx'
import type { FormValues } from './form-fields.ts'
import { newIdempotencyKey, type Outcome, outcomeKindOf } from './outcome-kind.ts'

type StartOptions = Pick<SendOptions, 'token' | 'idempotencyKey'>

export interface TryIt {
  /** Of the last request; null before the first and while one is under way. */
  readonly outcome: Outcome | null
  /** When the request under way was sent; null when there is none. */
  readonly startedAtMs: number | null
  /** Sends once; does nothing while a request is under way. Waits as long as the gateway does. */
  readonly start: (input: CallInput, options: StartOptions) => Promise<Outcome | null>
  /** Stops waiting; what was sent stays sent. */
  readonly cancel: () => void
}

/** A call that a person makes by hand, never on behalf of the administrator's session. */
export function useTryIt(endpoint: Endpoint): TryIt {
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [startedAtMs, setStartedAtMs] = useState<number | null>(null)
  const underWay = useRef<AbortController>(null)

  const start = async (input: CallInput, options: StartOptions) => {
    if (underWay.current !== null) return null
    const controller = new AbortController()
    underWay.current = controller
    setOutcome(null)
    setStartedAtMs(Date.now())
    const sentAtMs = performance.now()
    const result = await send(endpoint, input, { ...options, signal: controller.signal }).then(
      (response): Outcome => ({
        kind: 'response',
        response,
        tookMs: performance.now() - sentAtMs,
      }),
      (error: unknown): Outcome =>
        controller.signal.aborted
          ? { kind: 'cancelled' }
          : { kind: 'failure', message: wordsOf(error) },
    )
    underWay.current = null
    setStartedAtMs(null)
    setOutcome(result)
    return result
  }
  return { outcome, startedAtMs, start, cancel: () => underWay.current?.abort() }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

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
