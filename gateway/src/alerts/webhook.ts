import { randomUUID } from 'node:crypto'
import type { Time } from '../time.ts'
import type { Alert } from './alert.ts'
import { signWebhook } from './sign-webhook.ts'

/**
 * Pauses between attempts. After the last one the alert is dropped: half an hour later it is out of
 * date.
 */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 1_200_000] as const
const ATTEMPT_MS_MAX = 10_000
/**
 * How many alerts may wait for a receiver that does not respond; beyond that the oldest is dropped.
 */
const WAITING_MAX = 1000
/** How long a stop waits for the queued alerts. */
const CLOSE_MS_MAX = 2_000

export interface WebhookOptions {
  readonly url: string
  readonly secret: Buffer
  readonly time: Time
  readonly onDelivered: (alert: Alert) => void
  /** Called for an alert that was dropped, with the reason. The reason does not contain the URL. */
  readonly onLost: (alert: Alert, why: string) => void
  readonly pausesMs?: readonly number[] | undefined
}

/**
 * Sends alerts to a webhook in the format of Standard Webhooks 1.0, one at a time and in order, and
 * retries when the receiver does not accept one. Nothing is kept across a restart: alerts that
 * still apply are raised again.
 */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #pausesMs: readonly number[]
  readonly #waiting: Alert[] = []
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#pausesMs = options.pausesMs ?? PAUSES_MS
  }

  /** Returns immediately and never throws. */
  send(alert: Alert): void {
    this.#waiting.push(alert)
    const oldest = this.#waiting.length > WAITING_MAX ? this.#waiting.shift() : undefined
    if (oldest !== undefined)
      this.#options.onLost(oldest, 'too many alerts are waiting for the receiver')
    this.#running ??= this.#deliverAll()
  }

  /** Waits for the queued alerts, for two seconds at most. */
  async close(): Promise<void> {
    const timer = this.#options.time.setTimeout(() => this.#stop.abort(), CLOSE_MS_MAX)
    await this.#running
    timer.cancel()
    this.#stop.abort()
  }

  async #deliverAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      await this.#deliver(next)
    this.#running = undefined
  }

  /** Every attempt has the same id, so that the receiver can ignore duplicates. */
  async #deliver(alert: Alert): Promise<void> {
    const { signal } = this.#stop
    const message = { id: `msg_${randomUUID()}`, body: JSON.stringify(alert) }
    let failure = await this.#attempt(message)
    for (const pauseMs of this.#pausesMs) {
      if (failure === undefined || failure.isFinal) break
      // Rejects only when the webhook is closing, which the next line checks.
      await this.#options.time.sleep(pauseMs, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) break
      failure = await this.#attempt(message)
    }
    if (failure === undefined) this.#options.onDelivered(alert)
    else this.#options.onLost(alert, failure.why)
  }

  async #attempt(message: Message): Promise<Failure | undefined> {
    const { url, secret, time } = this.#options
    const timestampSeconds = Math.floor(time.now() / 1000)
    const ended = new AbortController()
    const timer = time.setTimeout(() => ended.abort(new TooLate()), ATTEMPT_MS_MAX)
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'sluice',
          'webhook-id': message.id,
          'webhook-timestamp': `${timestampSeconds}`,
          'webhook-signature': signWebhook(secret, { ...message, timestampSeconds }),
        },
        body: message.body,
        signal: AbortSignal.any([this.#stop.signal, ended.signal]),
      })
      return response.ok ? undefined : toFailure(response.status)
    } catch (error) {
      return { isFinal: false, why: whyUnreachable(error) }
    } finally {
      // The status is all that matters. The body is not read: it may never end.
      timer.cancel()
      ended.abort()
    }
  }
}

class TooLate extends Error {}

interface Message {
  readonly id: string
  readonly body: string
}

interface Failure {
  /** A retry would fail in the same way. */
  readonly isFinal: boolean
  readonly why: string
}

/**
 * The reason without the URL, which is secret. A code such as ECONNREFUSED or ENOTFOUND comes from
 * the system.
 */
function whyUnreachable(error: unknown): string {
  if (!(error instanceof Error)) return 'the receiver cannot be reached'
  if (error instanceof TooLate)
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
