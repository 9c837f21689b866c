import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createTrade } from '../../http/trade-handler.ts'
import type { PlaceOnce } from '../../orders/place-order.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import { mxRoutes } from './mx-routes.ts'
import { createMxService } from './mx-service.ts'

export interface ProxyOptions {
  readonly relay: Relay
  readonly rules: RulesCache
  readonly placeOnce: PlaceOnce
}

/** The documented calls that go to MEXC. */
export const proxyMx: FastifyPluginAsyncTypebox<ProxyOptions> = async (app, options) => {
  const { relay, rules, placeOnce } = options
  const trade = createTrade('mx', placeOnce)
  await app.register(mxRoutes, { mx: createMxService({ relay, rules }), trade })
}
