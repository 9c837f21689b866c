import type { FastifyRequest } from 'fastify'
import { exactAddress } from '../../http/author.ts'
import { pathOf } from '../../http/errors.ts'
import type { Origin } from './client-access.ts'

/** Where a request comes from, behind trusted proxies too, and what it asks for. */
export function originOf(request: FastifyRequest): Origin {
  return {
    address: exactAddress(request),
    exchange: request.routeOptions.config.endpoint?.proxy?.exchange ?? null,
    endpoint: pathOf(request.url),
  }
}
