import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getOwnLimits, type LimitUsage } from 'schema'
import { routeOf } from '../../http/route.ts'
import { limitsOf, stopOf } from '../../store/client-limits.ts'
import type { ClientStore } from '../../store/client-store.ts'
import { ClientGoneError } from '../../store/errors.ts'
import { clientRefOf } from './client-ref-of.ts'

export interface OwnLimitsDeps {
  readonly clients: Pick<ClientStore, 'find'>
  readonly readUsage: (clientRef: number) => Promise<LimitUsage>
}

/** A client's own limits, and how much of them is used. */
export const ownLimitsRoute: FastifyPluginAsyncTypebox<OwnLimitsDeps> = async (
  app,
  { clients, readUsage },
) => {
  app.route({
    ...routeOf(getOwnLimits),
    handler: async (request) => {
      const clientRef = clientRefOf(request)
      const row = await clients.find(clientRef)
      // The token was valid when the request came: the client was deleted since.
      if (row === undefined) throw new ClientGoneError()
      const usage = await readUsage(clientRef)
      return { ...limitsOf(row), stopped: stopOf(row), usage }
    },
  })
}
