import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countedCaller } from '../../http/author.ts'
import { TooManyAttemptsError } from './errors.ts'

export type Throttle = (request: FastifyRequest) => Promise<void>

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
 * claimed, a third one limits what all addresses try at one account. `sign-in-back-off.ts` does not
 * replace it: who claims an address that the account is known at passes there, and clients and the
 * second step of signing in have no back-off.
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

type Limit = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>

function requireAllowed(limit: Limit): void {
  if (!limit.isAllowed && limit.isExceeded) throw new TooManyAttemptsError(limit.ttlInSeconds)
}
