import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Alert } from './alert.ts'
import { signWebhook } from './sign-webhook.ts'

/** Pauses between attempts. After the last one the alert is dropped: half an hour later it is out of date. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 1_200_000] as const
const ATTEMPT_MS_MAX = 10_000
/** How many alerts may wait for a receiver that does not respond; beyond that the oldest is dropped. */
const WAITING_MAX = 1000
/** How long a stop waits for the queued alerts. */
const CLOSE_MS_MAX = 2_000

export interface WebhookOptions {
  readonly url: string
  readonly secret: Buffer
  readonly nowMs: () => number
  readonly onDelivered: (alert: Alert) => void
  /** Called for an alert that was dropped, with the reason. The reason does not contain the URL. */
  readonly onLost: (alert: Alert, why: string) => void
  readonly pausesMs?: readonly number[] | undefined
}

/**
 * Sends alerts to a webhook in the format of Standard Webhooks 1.0, one at a time and in order, and retries when the
 * receiver does not accept one. Nothing is kept across a restart: alerts that still apply are raised again.
 */
export function createWebhook(options: WebhookOptions) {
  const { url, secret, nowMs, onDelivered, onLost, pausesMs = PAUSES_MS } = options
  const waiting: Alert[] = []
  const stop = new AbortController()
  let running: Promise<void> | undefined

  async function deliverAll(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await deliver(next)
    running = undefined
  }

  /** Every attempt has the same id, so that the receiver can ignore duplicates. */
  async function deliver(alert: Alert): Promise<void> {
    const message = { id: `msg_${randomUUID()}`, body: JSON.stringify(alert) }
    let failure = await attempt(message)
    for (const pauseMs of pausesMs) {
      if (failure === undefined || failure.isFinal) break
      // Rejects only when the webhook is closing, which the next line checks.
      await sleep(pauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
      if (stop.signal.aborted) break
      failure = await attempt(message)
    }
    if (failure === undefined) onDelivered(alert)
    else onLost(alert, failure.why)
  }

  async function attempt({ id, body }: { id: string; body: string }): Promise<Failure | undefined> {
    const timestampSeconds = Math.floor(nowMs() / 1000)
    const responded = new AbortController()
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'sluice',
          'webhook-id': id,
          'webhook-timestamp': `${timestampSeconds}`,
          'webhook-signature': signWebhook(secret, { id, timestampSeconds, body }),
        },
        body,
        signal: AbortSignal.any([
          stop.signal,
          responded.signal,
          AbortSignal.timeout(ATTEMPT_MS_MAX),
        ]),
      })
      return response.ok ? undefined : toFailure(response.status)
    } catch (error) {
      return { isFinal: false, why: whyUnanswered(error) }
    } finally {
      // The status is all that matters. The body is not read: it may never end.
      responded.abort()
    }
  }

  return {
    /** Returns immediately and never throws. */
    send(alert: Alert): void {
      waiting.push(alert)
      const oldest = waiting.length > WAITING_MAX ? waiting.shift() : undefined
      if (oldest !== undefined) onLost(oldest, 'too many alerts are waiting for the receiver')
      running ??= deliverAll()
    },

    /** Waits for the queued alerts, for two seconds at most. */
    async close(): Promise<void> {
      const timer = setTimeout(() => stop.abort(), CLOSE_MS_MAX)
      await running
      clearTimeout(timer)
      stop.abort()
    },
  }
}
export type Webhook = ReturnType<typeof createWebhook>

interface Failure {
  /** A retry would fail in the same way. */
  readonly isFinal: boolean
  readonly why: string
}

/** The reason without the URL, which is secret. A code such as ECONNREFUSED or ENOTFOUND comes from the system. */
function whyUnanswered(error: unknown): string {
  if (!(error instanceof Error)) return 'the receiver cannot be reached'
  if (error.name === 'TimeoutError')
    return `the receiver was reached but did not respond within ${ATTEMPT_MS_MAX / 1000} s, or its network accepts no data`
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return `the receiver cannot be reached${code}`
}

function toFailure(status: number): Failure {
  if (status >= 300 && status < 400)
    return {
      isFinal: false,
      why: `the receiver responded with ${status}, a redirect, which is not followed; set ALERT_WEBHOOK_URL to its target`,
    }
  const isFinal = status >= 400 && status < 500 && ![408, 425, 429].includes(status)
  return { isFinal, why: `the receiver responded with ${status}` }
}
