import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { makeClientOrderId } from '../../exchanges/client-order-id.ts'
import type { RulesCache } from '../../exchanges/rules-cache.ts'
import type { Relay } from '../../relay/relay.ts'
import { mxRoutes } from './mx-routes.ts'
import { createMxService } from './mx-service.ts'
import { rawRoutes } from './raw-routes.ts'

export interface ProxyOptions {
  readonly relay: Relay
  readonly rules: RulesCache
}

/** Everything that goes to MEXC. */
export const proxyMx: FastifyPluginAsyncTypebox<ProxyOptions> = async (app, { relay, rules }) => {
  const newClientOrderId = () => makeClientOrderId(randomBytes)
  await app.register(mxRoutes, { mx: createMxService({ relay, rules, newClientOrderId }) })
  await app.register(rawRoutes, { relay })
}
