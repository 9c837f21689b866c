import { createError } from '@fastify/error'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { getToken, login, oauthToken, openIdSession, secondFactor } from 'schema'
import type { Time } from '../time.ts'

interface ClientBudgetOptions {
  /** Requests of one client a minute; 0: no limit. Cancels and heartbeats have as many again. */
  readonly requestsPerMinute: number
  /** Tokens that one client gets a minute; 0: no limit. */
  readonly tokensPerMinute: number
  readonly time: Pick<Time, 'now' | 'sleep'>
}

/** Also the mark by which the log gives these requests no row of their own. */
export const REQUESTS_EXCEEDED = 'CLIENT_REQUESTS_EXCEEDED'

const TOKENS_EXCEEDED = 'CLIENT_TOKENS_EXCEEDED'

type Args = [max: number, secondsLeft: number]

/**
 * Without a stack: a flood makes thousands a second. It does not say that nothing was sent: only
 * `http/errors.ts` knows whether the request is for an order.
 */
class ClientRequestsExceededError extends createError<Args>(
  'CLIENT_REQUESTS_EXCEEDED',
  'This client has sent more than %s requests of this kind in this minute; try again in %s s',
  429,
  Error,
  false,
) {
  readonly retryAfterSeconds: number
  constructor(...args: Args) {
    super(...args)
    this.retryAfterSeconds = args[1]
  }
}

class ClientTokensExceededError extends createError<Args>(
  'CLIENT_TOKENS_EXCEEDED',
  'This client already got %s tokens in this minute; try again in %s s',
  429,
  Error,
  false,
) {
  readonly retryAfterSeconds: number
  constructor(...args: Args) {
    super(...args)
    this.retryAfterSeconds = args[1]
  }
}

/** So many refusals of a client in a minute are sent at once. */
const PROMPT_REFUSALS = 60
/**
 * Later ones are held back this long: a program that repeats its request in a loop, whatever
 * Retry-After says, would otherwise keep the event loop busy with refusals.
 */
const HOLD_MS = 1000

/**
 * What one client may use of the gateway in a minute. Cancels and heartbeats are counted apart:
 * however many other requests a client sends, it can still cancel.
 */
export function createClientBudget(options: ClientBudgetOptions) {
  const { requestsPerMinute, tokensPerMinute, time } = options
  const nowMs = () => time.now()
  const counts = { urgent: new PerMinute(nowMs), other: new PerMinute(nowMs) }
  const tokens = new PerMinute(nowMs)
  const refusals = new PerMinute(nowMs)

  async function refuse(clientId: string, error: Error): Promise<never> {
    if (refusals.add(clientId) > PROMPT_REFUSALS) await time.sleep(HOLD_MS, { ref: false })
    throw error
  }

  return {
    /**
     * Counts a request.
     * @returns undefined, or for one too many a promise that rejects with
     * ClientRequestsExceededError
     */
    takeRequest(clientId: string, kind: keyof typeof counts): undefined | Promise<never> {
      const count = counts[kind]
      if (requestsPerMinute === 0 || count.add(clientId) <= requestsPerMinute) return undefined
      const secondsLeft = count.secondsLeft()
      return refuse(clientId, new ClientRequestsExceededError(requestsPerMinute, secondsLeft))
    },

    /**
     * Call it before the secret is checked: beyond the budget that work is not done. Only issued
     * tokens count, so a wrong secret uses up nothing.
     * @throws ClientTokensExceededError
     */
    async requireToken(clientId: string): Promise<void> {
      if (tokensPerMinute > 0 && tokens.of(clientId) >= tokensPerMinute)
        await refuse(clientId, tokensExceeded())
    },

    /**
     * Call it when a token is about to be issued.
     * @throws ClientTokensExceededError
     */
    async takeToken(clientId: string): Promise<void> {
      if (tokensPerMinute > 0 && tokens.add(clientId) > tokensPerMinute)
        await refuse(clientId, tokensExceeded())
    },
  }

  function tokensExceeded(): Error {
    return new ClientTokensExceededError(tokensPerMinute, tokens.secondsLeft())
  }
}
export type ClientBudget = ReturnType<typeof createClientBudget>

const MINUTE_MS = 60_000

/**
 * Counts events by key within the current minute of the clock. All counts end with the minute, so
 * the memory is bounded by the keys of one minute.
 */
export class PerMinute {
  readonly #nowMs: () => number
  readonly #counts = new Map<string, number>()
  #minute = Number.NaN

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Counts one more, and returns the count with it. */
  add(key: string): number {
    const count = this.of(key) + 1
    this.#counts.set(key, count)
    return count
  }

  of(key: string): number {
    this.begin()
    return this.#counts.get(key) ?? 0
  }

  /** Drops the counts of an earlier minute. True when that minute has ended. */
  begin(): boolean {
    const minute = Math.floor(this.#nowMs() / MINUTE_MS)
    if (minute === this.#minute) return false
    this.#minute = minute
    this.#counts.clear()
    return true
  }

  /** Whole seconds until the next minute, 1 to 60. */
  secondsLeft(): number {
    const leftMs = MINUTE_MS - (this.#nowMs() % MINUTE_MS)
    return Math.ceil(leftMs / 1000)
  }
}

/** The result of an attempt to get a session or a token. */
export interface SignInAttempt {
  readonly kind: 'admin' | 'client'
  readonly result:
    | 'ok'
    | 'refused'
    | 'forbidden'
    | 'throttled'
    | 'over-budget'
    | 'invalid'
    | 'failed'
}

const KINDS: Readonly<Record<string, SignInAttempt['kind']>> = {
  [login.id]: 'admin',
  [secondFactor.id]: 'admin',
  [openIdSession.id]: 'admin',
  [getToken.id]: 'client',
  [oauthToken.id]: 'client',
}

/** Errors of calls on an exchange's own path with a wrong secret in place of a token. */
const GUESS_CODES: ReadonlySet<string | null> = new Set([
  'CLIENT_SECRET_INVALID',
  'TOO_MANY_ATTEMPTS',
])

/** Reads from a finished request whether it was a sign-in attempt; undefined when it was none. */
export function signInAttemptOf(
  { routeOptions, errorCode, hasRightSecret }: FastifyRequest,
  { statusCode }: FastifyReply,
): SignInAttempt | undefined {
  const { endpoint, isRaw } = routeOptions.config
  const isBySecret = isRaw === true && (hasRightSecret || GUESS_CODES.has(errorCode))
  const kind = isBySecret ? 'client' : KINDS[endpoint?.id ?? '']
  if (kind === undefined) return undefined
  // The second step tells whether it succeeds.
  if (errorCode === 'SECOND_FACTOR_NEEDED') return undefined
  // No secret was guessed: the client asks for too many tokens.
  if (errorCode === TOKENS_EXCEEDED) return { kind, result: 'over-budget' }
  return { kind, result: hasRightSecret ? 'forbidden' : resultOf(statusCode) }
}

function resultOf(status: number): SignInAttempt['result'] {
  if (status < 400) return 'ok'
  if (status === 401 || status === 403) return 'refused'
  if (status === 429) return 'throttled'
  return status < 500 ? 'invalid' : 'failed'
}
