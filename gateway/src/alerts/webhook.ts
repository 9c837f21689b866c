import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Alert } from './alert.ts'
import { signWebhook } from './sign-webhook.ts'

/** Between attempts; after the last one an alert is given up: half an hour later it would tell of the past. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 1_200_000] as const
const ATTEMPT_MS_MAX = 10_000
/** Alerts that wait for a receiver which does not answer; then the oldest goes. */
const WAITING_MAX = 1000
/** A stop waits this long for what is on its way. */
const CLOSE_MS_MAX = 2_000

export interface WebhookOptions {
  readonly url: string
  readonly secret: Buffer
  readonly nowMs: () => number
  readonly onDelivered: (alert: Alert) => void
  /** An alert that nobody will get, and why; the address is not in it. */
  readonly onLost: (alert: Alert, why: string) => void
  readonly pausesMs?: readonly number[] | undefined
}

/**
 * Sends alerts one after another in the form of Standard Webhooks 1.0, in the order in which they came, and tries again
 * when the receiver does not take one. Nothing is kept across a restart: what still is the matter is raised again then.
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

  /** The id stays the same in each attempt: a receiver knows what it has already. */
  async function deliver(alert: Alert): Promise<void> {
    const message = { id: `msg_${randomUUID()}`, body: JSON.stringify(alert) }
    let failure = await attempt(message)
    for (const pauseMs of pausesMs) {
      if (failure === undefined || failure.isFinal) break
      // Rejects only when it is to stop, which the next line asks.
      await sleep(pauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
      if (stop.signal.aborted) break
      failure = await attempt(message)
    }
    if (failure === undefined) onDelivered(alert)
    else onLost(alert, failure.why)
  }

  async function attempt({ id, body }: { id: string; body: string }): Promise<Failure | undefined> {
    const timestampSeconds = Math.floor(nowMs() / 1000)
    const answered = new AbortController()
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
          answered.signal,
          AbortSignal.timeout(ATTEMPT_MS_MAX),
        ]),
      })
      return response.ok ? undefined : toFailure(response.status)
    } catch (error) {
      return { isFinal: false, why: whyUnanswered(error) }
    } finally {
      // The status is the answer. A body is not read: it may never end.
      answered.abort()
    }
  }

  return {
    /** Never waits, never throws. */
    send(alert: Alert): void {
      waiting.push(alert)
      const oldest = waiting.length > WAITING_MAX ? waiting.shift() : undefined
      if (oldest !== undefined) onLost(oldest, 'too many alerts are waiting for the receiver')
      running ??= deliverAll()
    },

    /** Gives what waits a last short while. */
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
  /** Trying again would bring the same. */
  readonly isFinal: boolean
  readonly why: string
}

/** Without the address, which is secret; a code such as ECONNREFUSED or ENOTFOUND is the system's. */
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
