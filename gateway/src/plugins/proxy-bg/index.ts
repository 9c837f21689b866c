import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { makeClientOrderId } from '../../exchanges/client-order-id.ts'
import type { RulesCache } from '../../exchanges/rules-cache.ts'
import type { Relay } from '../../relay/relay.ts'
import { bgOrderRoutes } from './bg-order-routes.ts'
import { createBgOrderService } from './bg-order-service.ts'
import { bgReadRoutes } from './bg-read-routes.ts'
import { createBgReadService } from './bg-read-service.ts'

export interface ProxyOptions {
  readonly relay: Relay
  readonly rules: RulesCache
  readonly nowMs: () => number
}

/** Everything that goes to Bitget. */
export const proxyBg: FastifyPluginAsyncTypebox<ProxyOptions> = async (app, options) => {
  const { relay, rules, nowMs } = options
  const newClientOrderId = () => makeClientOrderId(randomBytes)
  await app.register(bgOrderRoutes, {
    orders: createBgOrderService({ relay, rules, newClientOrderId }),
  })
  await app.register(bgReadRoutes, { reads: createBgReadService({ relay, nowMs }) })
}
