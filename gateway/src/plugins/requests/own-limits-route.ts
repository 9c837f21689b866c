import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getOwnLimits } from 'schema'
import { routeOf } from '../../http/route.ts'
import { limitsOf, stopOf } from '../../store/client-limits.ts'
import type { ClientStore } from '../../store/client-store.ts'
import { ClientGoneError } from '../../store/errors.ts'
import type { UsageStore } from '../../store/usage-store.ts'
import { clientRefOf } from './client-ref-of.ts'

export interface OwnLimitsDeps {
  readonly clients: Pick<ClientStore, 'find'>
  readonly usage: Pick<UsageStore, 'usageOf'>
  readonly nowMs: () => number
}

/** A client's own limits, and how much of them is used. */
export const ownLimitsRoute: FastifyPluginAsyncTypebox<OwnLimitsDeps> = async (
  app,
  { clients, usage, nowMs },
) => {
  app.route({
    ...routeOf(getOwnLimits),
    handler: async (request) => {
      const clientRef = clientRefOf(request)
      const used = await usage.usageOf(clientRef, nowMs())
      const row = await clients.find(clientRef)
      // The token was valid when the request came: the client was deleted since.
      if (row === undefined) throw new ClientGoneError()
      return { ...limitsOf(row), stopped: stopOf(row), usage: used }
    },
  })
}
