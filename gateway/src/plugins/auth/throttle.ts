import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerAddress } from '../../http/caller-address.ts'
import { TooManyAttemptsError } from './errors.ts'

export type Throttle = (request: FastifyRequest) => Promise<void>

/**
 * Counts attempts per account and address: an attacker elsewhere does not lock the owner out. A
 * second, wider count limits an address that tries many accounts.
 */
export function createThrottle(
  app: FastifyInstance,
  accountOf: (request: FastifyRequest) => string,
  limits: { perAccount: number; perAddress: number },
): Throttle {
  const timeWindow = '1 minute'
  const counts = [
    app.createRateLimit({
      max: limits.perAccount,
      timeWindow,
      keyGenerator: (request) => `${callerAddress(request)} ${accountOf(request)}`,
    }),
    app.createRateLimit({
      max: limits.perAddress,
      timeWindow,
      keyGenerator: callerAddress,
    }),
  ]
  return async (request) => {
    for (const count of counts) {
      const limit = await count(request)
      if (!limit.isAllowed && limit.isExceeded) throw new TooManyAttemptsError(limit.ttlInSeconds)
    }
  }
}
