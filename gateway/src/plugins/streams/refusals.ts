import { createError } from '@fastify/error'

/** Close codes (RFC 6455, 7.4, and the gateway's own). */
export const CLOSE_CODES = {
  notAllowed: 1008,
  failed: 1011,
  /** The bot should connect again: something may have been missed. */
  restart: 1012,
  unavailable: 1013,
  tokenExpired: 4401,
  clientOff: 4403,
  slow: 4408,
  tooMany: 4429,
} as const

/** A token has three parts; a client id with two dots is none of this gateway's. */
export const looksLikeToken = (text: string) => text.split('.').length === 3

/** Why a bot is refused, or loses its connection. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

export const NotSignedInError = createError(
  'TOKEN_MISSING',
  'This socket needs a token: in the header Authorization, or in the message that signs in',
  401,
)

export const ClientOffError = createError(
  'CLIENT_INACTIVE',
  'This client credential is switched off; an administrator can switch it on',
  403,
)

export const ListenKeyInvalidError = createError(
  'LISTEN_KEY_INVALID',
  'The listen key is none of this client, or it has expired; get a new one with POST',
  400,
)

/** Another client signs in on a socket, whose subscriptions it must not see. */
export const AnotherClientError = createError(
  'TOKEN_INVALID',
  'Another client has signed in on this socket; open one for each client',
  401,
)

/** Undefined: an error of the gateway itself. */
export function refusalOf(
  error: unknown,
): (Refusal & { readonly isTemporary: boolean }) | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (typeof code !== 'string' || typeof statusCode !== 'number') return undefined
  const isTemporary = statusCode >= 500 || statusCode === 429
  return statusCode === 500 ? undefined : { code, message: error.message, isTemporary }
}

const WAIT_MS = { first: 1_000, longest: 30_000 }
/** Who was not refused for so long begins anew. */
const FORGET_MS = 300_000
const KEYS_MAX = 10_000

/** How long a refusal waits: 1 s, doubling to 30 s. */
export class GrowingWaits {
  readonly #monotonicMs: () => number
  readonly #refused = new Map<string, { readonly count: number; readonly untilMs: number }>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  next(key: string): number {
    const nowMs = this.#monotonicMs()
    const last = this.#refused.get(key)
    const count = last !== undefined && last.untilMs > nowMs ? last.count : 0
    const waitMs = Math.min(WAIT_MS.longest, WAIT_MS.first * 2 ** count)
    // The one that was refused longest ago comes first in the map.
    this.#refused.delete(key)
    if (this.#refused.size >= KEYS_MAX) {
      const [oldest] = this.#refused.keys()
      if (oldest !== undefined) this.#refused.delete(oldest)
    }
    this.#refused.set(key, { count: Math.min(count + 1, 5), untilMs: nowMs + waitMs + FORGET_MS })
    return waitMs
  }
}

/** A bot subscribes to many channels one after another: as many messages may come at once. */
const MESSAGES = { perSecond: 10, atOnce: 100 }

export const TOO_MANY_MESSAGES: Refusal = {
  code: 'TOO_MANY_MESSAGES',
  message: `A bot may send ${MESSAGES.perSecond} messages a second`,
}

/** How many messages may come: some at once, and then so many a second. */
export class MessageRate {
  readonly #monotonicMs: () => number
  #left = MESSAGES.atOnce
  #atMs: number

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
    this.#atMs = monotonicMs()
  }

  /** @returns false for one too many */
  take(): boolean {
    const { perSecond, atOnce } = MESSAGES
    const nowMs = this.#monotonicMs()
    this.#left = Math.min(atOnce, this.#left + ((nowMs - this.#atMs) / 1_000) * perSecond)
    this.#atMs = nowMs
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}

const PING_EVERY_MS = 20_000
const PONG_MS = 10_000

/** When a connection is pinged, and when nobody is there. */
export class Heartbeat {
  readonly #monotonicMs: () => number
  #pingedAtMs: number
  #isPonged = true

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
    this.#pingedAtMs = monotonicMs()
  }

  ponged(): void {
    this.#isPonged = true
  }

  /** What is to be done now. Of `ping` the pong is expected from then on. */
  due(): 'ping' | 'end' | undefined {
    const nowMs = this.#monotonicMs()
    const sinceMs = nowMs - this.#pingedAtMs
    if (!this.#isPonged) return sinceMs >= PONG_MS ? 'end' : undefined
    if (sinceMs < PING_EVERY_MS) return undefined
    this.#isPonged = false
    this.#pingedAtMs = nowMs
    return 'ping'
  }
}
