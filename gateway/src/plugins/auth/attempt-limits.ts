import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authorOf, countedCaller } from '../../http/request-origin.ts'
import { ClientExpiredError } from '../../upstream/errors.ts'
import {
  AddressForbiddenError,
  ClientInactiveError,
  ClientSecretInvalidError,
  PermissionNotGrantedError,
  SecretAsBearerOffError,
  TooManyAttemptsError,
} from './errors.ts'
import type { FailureTrail } from './failure-trail.ts'

type Throttle = (request: FastifyRequest) => Promise<void>

/** Counts attempts by one key, wherever they come from. */
export function createKeyThrottle(
  app: FastifyInstance,
  keyOf: (request: FastifyRequest) => string,
  perMinute: number,
): Throttle {
  const count = app.createRateLimit({
    max: perMinute,
    timeWindow: '1 minute',
    keyGenerator: keyOf,
  })
  return async (request) => requireAllowed(await count(request))
}

/**
 * Counts attempts per account and address: an attacker elsewhere does not lock the owner out. A
 * second, wider count limits an address that tries many accounts. Where the address is only
 * claimed, a third one limits what all addresses try at one account. `SignInBackOff` does not
 * replace it: it lets through a caller who claims an address that the account was used from, and
 * clients and the second step of signing in have no back-off.
 */
export function createThrottle(
  app: FastifyInstance,
  accountOf: (request: FastifyRequest) => string,
  limits: { perAccount: number; perAddress: number },
): Throttle {
  const countBy = (max: number, keyGenerator: (request: FastifyRequest) => string) =>
    app.createRateLimit({ max, timeWindow: '1 minute', keyGenerator })
  const addressOf = (request: FastifyRequest) => countedCaller(request)?.address ?? ''
  const perAccount = countBy(
    limits.perAccount,
    (request) => `${addressOf(request)} ${accountOf(request)}`,
  )
  const perAddress = countBy(limits.perAddress, addressOf)
  const perClaim = countBy(limits.perAddress, accountOf)
  return async (request) => {
    const caller = countedCaller(request)
    const counts =
      caller === undefined
        ? [perAccount]
        : [perAccount, perAddress, ...(caller.isClaimed ? [perClaim] : [])]
    for (const count of counts) requireAllowed(await count(request))
  }
}

/** The client is known by its secret, and may not use it. */
const AFTER_RIGHT_SECRET = [
  ClientInactiveError,
  ClientExpiredError,
  AddressForbiddenError,
  PermissionNotGrantedError,
  SecretAsBearerOffError,
]

/**
 * What follows when a client's secret is refused, in a body or in place of a token: an entry in the
 * audit trail, and a limit of guesses. Checking a secret is cheap. It is checked first, and only
 * failures count: a client with the right secret is let in however many others guess.
 */
export function createSecretRefusals(
  app: FastifyInstance,
  { failures, nowMs }: { readonly failures: FailureTrail; readonly nowMs: () => number },
) {
  const given = new WeakMap<FastifyRequest, string>()
  const givenClientId = (request: FastifyRequest) => given.get(request) ?? ''
  const throttle = createThrottle(app, givenClientId, { perAccount: 10, perAddress: 100 })
  /** @throws TooManyAttemptsError, or the error itself */
  return async (request: FastifyRequest, clientId: string, error: unknown): Promise<never> => {
    given.set(request, clientId.toLowerCase())
    const author = authorOf(request, nowMs())
    request.hasRightSecret = AFTER_RIGHT_SECRET.some((kind) => error instanceof kind)
    if (!(error instanceof ClientSecretInvalidError)) {
      await failures.tokenRefused(author, clientId, error)
      throw error
    }
    failures.secretRefused(author, clientId, error)
    await throttle(request)
    throw error
  }
}
export type RefuseSecret = ReturnType<typeof createSecretRefusals>

/** A text in the body, in lower case; empty when there is none. */
export function textIn({ body }: FastifyRequest, name: string): string {
  const value: unknown = Object(body)[name]
  return typeof value === 'string' ? value.toLowerCase() : ''
}

type Limit = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>

function requireAllowed(limit: Limit): void {
  if (!limit.isAllowed && limit.isExceeded) throw new TooManyAttemptsError(limit.ttlInSeconds)
}

/** Attempts that nothing slows down. */
const FREE = 20
/** After them each attempt waits twice as long as the one before, from a second to this. */
const WAIT_MAX_MS = 300_000
/** An account without an attempt for this long starts anew. */
const FORGET_MS = 3_600_000
const ACCOUNTS_MAX = 10_000

interface Attempts {
  readonly count: number
  readonly lastAtMs: number
}

/**
 * Slows down guesses of one account's password from addresses that it was not used from, however
 * many addresses there are. Attempts count before the password is checked, so that many at once are
 * not let through; those that must wait are refused and do not count. Any name that is given is
 * counted, so nobody learns which accounts exist.
 */
export class SignInBackOff {
  readonly #nowMs: () => number
  readonly #accounts = new Map<string, Attempts>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** @throws TooManyAttemptsError */
  take(email: string): void {
    const account = email.toLowerCase()
    const nowMs = this.#nowMs()
    const { count, lastAtMs } = this.#attemptsOf(account, nowMs)
    const waitMs = lastAtMs + waitAfter(count) - nowMs
    if (waitMs > 0) throw new TooManyAttemptsError(Math.ceil(waitMs / 1000))
    // The oldest attempts come first in the map.
    this.#accounts.delete(account)
    if (this.#accounts.size >= ACCOUNTS_MAX) {
      const [oldest] = this.#accounts.keys()
      if (oldest !== undefined) this.#accounts.delete(oldest)
    }
    this.#accounts.set(account, { count: count + 1, lastAtMs: nowMs })
  }

  /** The right password was given: the account starts anew. */
  succeeded(email: string): void {
    this.#accounts.delete(email.toLowerCase())
  }

  #attemptsOf(account: string, nowMs: number): Attempts {
    const known = this.#accounts.get(account)
    // A clock that was set back starts anew.
    const isRecent = known !== undefined && Math.abs(nowMs - known.lastAtMs) < FORGET_MS
    return isRecent ? known : { count: 0, lastAtMs: nowMs }
  }
}

function waitAfter(count: number): number {
  return count < FREE ? 0 : Math.min(WAIT_MAX_MS, 1000 * 2 ** Math.min(count - FREE, 20))
}

const FAILURES_MAX = 10
const WINDOW_MS = 900_000

/**
 * Limits guesses of one person's codes, wherever they come from: ten failures in a quarter of an
 * hour. With three codes valid at a time, that is a chance of 3 in 1,000 a day for somebody who
 * knows the password and never stops.
 */
export class GuessLimit {
  readonly #nowMs: () => number
  readonly #failures = new Map<number, number[]>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Counts an attempt before it is checked, so that many at once are not let through.
   * @returns takes it back, when it was right
   * @throws TooManyAttemptsError
   */
  take(adminId: number): () => void {
    const nowMs = this.#nowMs()
    // A clock that was set back starts anew.
    const isRecent = (atMs: number) => atMs <= nowMs && atMs > nowMs - WINDOW_MS
    const recent = (this.#failures.get(adminId) ?? []).filter(isRecent)
    const [oldest = nowMs] = recent
    if (recent.length >= FAILURES_MAX)
      throw new TooManyAttemptsError(Math.ceil((oldest + WINDOW_MS - nowMs) / 1000))
    recent.push(nowMs)
    this.#failures.set(adminId, recent)
    return () => {
      const counted = this.#failures.get(adminId) ?? []
      const index = counted.indexOf(nowMs)
      if (index >= 0) counted.splice(index, 1)
    }
  }
}
