import { createHmac, randomUUID } from 'node:crypto'
import type { Time } from '../time.ts'
import type { Alert } from './alert-board.ts'

/** Pauses between attempts. The last one is repeated until the receiver takes the alert. */
const PAUSES_MS = [5_000, 30_000, 120_000, 300_000] as const
const ATTEMPT_MS_MAX = 10_000
/**
 * How many alerts may wait for a receiver that does not respond; beyond that the oldest is dropped.
 */
const WAITING_MAX = 1000

/** An alert on its way. Every attempt has the same id: the receiver can ignore duplicates. */
export interface SentAlert {
  readonly id: string
  readonly alert: Alert
}

/** Where alerts are kept until the receiver has taken them, for the next process. */
export interface KeptAlerts {
  /** @returns whether it is kept: while the database is down it is in memory alone. */
  keep(sent: SentAlert): Promise<boolean>
  /** It has reached the receiver, or was given up. Never rejects. */
  forget(id: string): Promise<void>
}

export interface WebhookOptions {
  readonly url: string
  readonly secret: Buffer
  readonly time: Time
  readonly onDelivered: (alert: Alert) => void
  /** Called for an alert that was dropped, with the reason. The reason does not contain the URL. */
  readonly onLost: (alert: Alert, why: string) => void
  readonly pausesMs?: readonly number[] | undefined
  /** Absent: what fails after the last pause is given up. */
  readonly kept?: KeptAlerts | undefined
}

interface Waiting extends SentAlert {
  keeping: Promise<boolean>
  /** Whether it is known to be kept. */
  isKept: boolean
}

/**
 * Sends alerts to a webhook in the format of Standard Webhooks 1.0, one at a time and in order, and
 * retries until the receiver accepts one.
 */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #pausesMs: readonly number[]
  readonly #waiting: Waiting[] = []
  #sending: Waiting | undefined
  /** The ids of all that have no end yet. */
  readonly #open = new Set<string>()
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#pausesMs = options.pausesMs ?? PAUSES_MS
  }

  /** Returns immediately and never throws. */
  send(alert: Alert): void {
    const sent = { id: `msg_${randomUUID()}`, alert }
    this.#push(sent, this.#options.kept?.keep(sent) ?? Promise.resolve(false))
  }

  /** Sends what another process has kept, unless it is on its way already. */
  sendKept(sent: SentAlert): void {
    if (!this.#open.has(sent.id)) this.#push(sent, Promise.resolve(true))
  }

  /** Waits for the queued alerts, for at most this long. */
  async close(withinMs: number): Promise<void> {
    const timer = this.#options.time.setTimeout(() => this.#stop.abort(), withinMs)
    await this.#running
    timer.cancel()
    this.#stop.abort()
  }

  #push(sent: SentAlert, keeping: Promise<boolean>): void {
    const waiting: Waiting = { ...sent, keeping, isKept: false }
    void keeping.then((isKept) => {
      waiting.isKept = isKept
      if (isKept) this.#keepEarlier()
    })
    this.#open.add(sent.id)
    this.#waiting.push(waiting)
    const oldest = this.#waiting.length > WAITING_MAX ? this.#waiting.shift() : undefined
    if (oldest !== undefined) this.#lose(oldest, 'too many alerts are waiting for the receiver')
    this.#running ??= this.#deliverAll()
  }

  /** The database can be written: what came while it could not is kept too. */
  #keepEarlier(): void {
    const { kept } = this.#options
    if (kept === undefined) return
    const sending = this.#sending === undefined ? [] : [this.#sending]
    for (const each of [...sending, ...this.#waiting]) {
      const { id, alert, isKept } = each
      if (isKept || !this.#open.has(id)) continue
      each.keeping = each.keeping.then((is) => is || kept.keep({ id, alert }))
      void each.keeping.then((is) => {
        each.isKept = is
      })
    }
  }

  async #deliverAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#sending = next
      await this.#deliver(next)
    }
    this.#sending = undefined
    this.#running = undefined
  }

  async #deliver(waiting: Waiting): Promise<void> {
    const { signal } = this.#stop
    const { id, alert } = waiting
    const message = { id, body: JSON.stringify(alert) }
    let failure = await this.#attempt(message)
    for (const pauseMs of this.#pauses()) {
      if (failure === undefined || failure.isFinal) break
      // Rejects only when the webhook is closing, which the next line checks.
      await this.#options.time.sleep(pauseMs, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) break
      failure = await this.#attempt(message)
    }
    if (failure === undefined) {
      this.#options.onDelivered(alert)
      this.#end(waiting)
      // The next process sends it.
    } else if (failure.isFinal || !signal.aborted || !waiting.isKept)
      this.#lose(waiting, failure.why)
  }

  *#pauses(): Iterable<number> {
    yield* this.#pausesMs
    const last = this.#pausesMs.at(-1)
    while (this.#options.kept !== undefined && last !== undefined) yield last
  }

  #lose(waiting: Waiting, why: string): void {
    this.#options.onLost(waiting.alert, why)
    this.#end(waiting)
  }

  #end({ id, keeping }: Waiting): void {
    this.#open.delete(id)
    void keeping.then((isKept) => (isKept ? this.#options.kept?.forget(id) : undefined))
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

/**
 * The header `webhook-signature` of Standard Webhooks 1.0 (standardwebhooks.com, "Signature
 * scheme"): HMAC-SHA256 over id, time and body. With it a receiver verifies the sender, the time
 * and the content.
 * @param timestampSeconds Unix time of this attempt, in whole seconds
 */
export function signWebhook(
  secret: Buffer,
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: string },
): string {
  const mac = createHmac('sha256', secret).update(`${id}.${timestampSeconds}.${body}`)
  return `v1,${mac.digest('base64')}`
}
