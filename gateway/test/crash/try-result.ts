import { isRecord, textOf } from '../../src/exchanges/protocol/untrusted.ts'
import type { Intent } from './intent.ts'

/** What one try showed the bot. */
export type TryResult =
  /** The connection broke, or the bot gave up waiting. */
  | { readonly kind: 'nothing' }
  /** Accepted asynchronously; the response is to be read there. */
  | { readonly kind: 'accepted'; readonly location: string }
  | { readonly kind: 'done'; readonly orderId: string }
  /** Proven not to have reached the exchange, or not to have been taken. */
  | { readonly kind: 'not-sent'; readonly code: string; readonly isRetryable: boolean }
  | { readonly kind: 'not-done' }
  | { readonly kind: 'rejected'; readonly code: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-out' }
  /** None of the responses in docs/outcomes.md. */
  | { readonly kind: 'unclear'; readonly text: string }

/** Reads a response as docs/outcomes.md says. */
export function readTryResult(intent: Intent, status: number, body: unknown): TryResult {
  const outcome = isRecord(body) ? textOf(body.outcome) : undefined
  const code = (isRecord(body) ? textOf(body.code) : undefined) ?? `HTTP ${status}`
  if (outcome === 'not-sent')
    return { kind: 'not-sent', code, isRetryable: isRecord(body) && body.retryable === true }
  if (outcome === 'not-done') return { kind: 'not-done' }
  if (outcome === 'unknown') return { kind: 'unknown' }
  if (status === 401) return { kind: 'signed-out' }
  if (status >= 200 && status < 300) return readDone(intent, body)
  if (status >= 400 && status < 500) return { kind: 'rejected', code }
  return { kind: 'unclear', text: `${status} ${JSON.stringify(body)}` }
}

function readDone({ kind }: Intent, body: unknown): TryResult {
  const text = JSON.stringify(body)
  const isDone = isRecord(body) && (body.success === true || body.code === '00000')
  if (!isDone) {
    // The raw route passes on the exchange's own rejections, which MEXC futures sends with status
    // 200.
    if (kind === 'mx-raw' && isRecord(body) && body.success === false)
      return { kind: 'rejected', code: textOf(body.code) ?? '' }
    return { kind: 'unclear', text }
  }
  const data = isRecord(body.data) ? body.data : body
  const orderId = textOf(data.orderId) ?? textOf(body.data)
  return orderId === undefined ? { kind: 'unclear', text } : { kind: 'done', orderId }
}

/** True when the bot knows how it ended. */
export function isFinal({ kind }: TryResult): boolean {
  return kind === 'done' || kind === 'not-done' || kind === 'rejected'
}
