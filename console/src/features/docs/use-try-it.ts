import { useRef, useState } from 'react'
import type { Endpoint } from 'schema'
import { type ApiResponse, type CallInput, type SendOptions, send } from '../../api/client.ts'

/**
 * What became of a request: a response of any status, no response, or nobody waiting for it any
 * more.
 */
export type Outcome =
  | { readonly kind: 'response'; readonly response: ApiResponse; readonly tookMs: number }
  | { readonly kind: 'failure'; readonly message: string }
  | { readonly kind: 'cancelled' }

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
