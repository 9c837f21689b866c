import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isFromThisMachine } from '../../http/proxies.ts'
import { MetricsLocalOnlyError, MetricsTokenInvalidError } from './errors.ts'

/**
 * Allows requests with the right token. Without METRICS_TOKEN, only this machine may read the
 * metrics.
 * @throws MetricsTokenInvalidError, MetricsLocalOnlyError
 */
export function createMetricsGuard(token: string | undefined): (request: FastifyRequest) => void {
  if (token === undefined)
    return (request) => {
      if (!isFromThisMachine(request)) throw new MetricsLocalOnlyError()
    }
  const expected = digestOf(`Bearer ${token}`)
  return ({ headers }) => {
    if (!timingSafeEqual(digestOf(headers.authorization ?? ''), expected))
      throw new MetricsTokenInvalidError()
  }
}

/** Digests have equal length, so that texts of any length are compared in constant time. */
const digestOf = (text: string) => createHash('sha256').update(text).digest()
