import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { cancelOwnOrders, getOwnCancel, listOwnOrders } from 'schema'
import { routeOf } from '../../http/route.ts'
import { ownOrdersOf, toOwnCancel } from '../../orders/own-cancel-run.ts'
import type { OwnCancels } from '../../orders/own-cancels.ts'
import { OwnOrders, type OwnOrdersDeps } from '../../orders/own-orders.ts'
import { clientOf, clientRefOf } from './client-ref-of.ts'
import { CancelNotFoundError } from './errors.ts'

export interface OwnOrdersRoutesDeps extends OwnOrdersDeps {
  readonly ownCancels: Pick<OwnCancels, 'start' | 'keep' | 'find'>
}

/** A client's own orders: their list, and the cancel of all of them. */
export const ownOrdersRoutes: FastifyPluginAsyncTypebox<OwnOrdersRoutesDeps> = async (
  app,
  deps,
) => {
  const { ownCancels } = deps
  const orders = new OwnOrders(deps)

  app.route({
    ...routeOf(listOwnOrders),
    handler: async (request) => orders.list(clientRefOf(request), request.query),
  })

  const cancelling = routeOf(cancelOwnOrders)
  app.route({
    ...cancelling,
    config: { ...cancelling.config, permissionOf: () => 'trade' },
    handler: async (request, reply) => {
      const { symbol, exchange } = request.query
      const run = ownCancels.start(clientOf(request), ownOrdersOf(symbol, exchange))
      await ownCancels.keep(run)
      const status = toOwnCancel(run)
      return reply.code(202).header('location', status.location).send(status)
    },
  })

  app.route({
    ...routeOf(getOwnCancel),
    handler: async (request) => {
      const { id } = request.params
      const run = ownCancels.find(clientRefOf(request), id)
      if (run === undefined) throw new CancelNotFoundError(id)
      return toOwnCancel(run)
    },
  })
}
