import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DemoNotHereError } from '../../exchanges/protocol/errors.ts'
import { createTrade } from '../../http/trade-handler.ts'
import type { PlaceOnce } from '../../orders/place-order.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import { bgOrderRoutes } from './bg-order-routes.ts'
import { createBgOrderService } from './bg-order-service.ts'
import { bgReadRoutes } from './bg-read-routes.ts'
import { createBgReadService } from './bg-read-service.ts'

export interface ProxyOptions {
  readonly relay: Relay
  readonly rules: RulesCache
  readonly placeOnce: PlaceOnce
  readonly nowMs: () => number
}

/** The documented calls that go to Bitget. */
export const proxyBg: FastifyPluginAsyncTypebox<ProxyOptions> = async (app, options) => {
  const { relay, rules, placeOnce, nowMs } = options
  const trade = createTrade('bg', placeOnce)
  app.addHook('preValidation', async ({ headers }) => {
    if (headers.paptrading !== undefined) throw new DemoNotHereError()
  })
  await app.register(bgOrderRoutes, {
    orders: createBgOrderService({ relay, rules }),
    trade,
  })
  await app.register(bgReadRoutes, { reads: createBgReadService({ relay, nowMs }) })
}
