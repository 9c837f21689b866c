import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  cancelOwnOrders,
  getOwnCancel,
  getOwnLimits,
  getRequest,
  listOwnOrders,
  putHeartbeat,
  withdrawRequest,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import { ownOrdersOf, toOwnCancel } from '../../orders/own-cancel-run.ts'
import { OwnOrders } from '../../orders/own-orders.ts'
import { limitsOf, stopOf } from '../../store/client-store.ts'
import { ClientGoneError } from '../../store/errors.ts'
import { CancelNotFoundError, createRequestService, toStatusText } from './request-service.ts'

type RequestParts = Pick<Parts, 'exchanges' | 'limits' | 'orders' | 'stores'>

/** A client's own orders: their list, and the cancel of all of them. */
const ownOrdersRoutes: FastifyPluginAsyncTypebox<RequestParts> = async (app, parts) => {
  const { ownCancels, workingOrders } = parts.orders
  const orders = new OwnOrders({ journal: parts.stores.journal, workingOrders })

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

/** A client's own limits, and how much of them is used. */
const ownLimitsRoute: FastifyPluginAsyncTypebox<RequestParts> = async (
  app,
  { limits, stores: { clients } },
) => {
  app.route({
    ...routeOf(getOwnLimits),
    handler: async (request) => {
      const clientRef = clientRefOf(request)
      const row = await clients.find(clientRef)
      // The token was valid when the request came: the client was deleted since.
      if (row === undefined) throw new ClientGoneError()
      const usage = await limits.readUsage(clientRef, 'client')
      return { ...limitsOf(row), stopped: stopOf(row), usage }
    },
  })
}

/** A client's heartbeat. */
const heartbeatRoute: FastifyPluginAsyncTypebox<RequestParts> = async (
  app,
  { orders: { heartbeats } },
) => {
  app.route({
    ...routeOf(putHeartbeat),
    handler: async (request) => heartbeats.beat(clientRefOf(request), request.body.ttlSeconds),
  })
}

/**
 * What a client reads of itself: its orders, the status of its orders and cancels, and its limits.
 * The cancel of all its orders, and its heartbeat.
 */
export const requests: FastifyPluginAsyncTypebox<RequestParts> = async (app, parts) => {
  for (const routes of [ownLimitsRoute, ownOrdersRoutes, heartbeatRoute])
    await app.register(routes, parts)
  const service = createRequestService(parts)

  app.route({
    ...textRouteOf(getRequest),
    handler: async (request, reply) => {
      const status = await service.read(clientRefOf(request), request.params.id)
      return reply.type('application/json; charset=utf-8').send(toStatusText(status))
    },
  })

  app.route({
    ...routeOf(withdrawRequest),
    handler: async (request, reply) => {
      await service.withdraw(clientRefOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  })
}

/**
 * The client that sent a request.
 * @throws when the route has no guard for clients: a bug
 */
function clientOf({ caller, url }: FastifyRequest) {
  if (caller?.kind !== 'client') throw new Error(`${url} has no guard for clients`)
  const { clientRef, clientId } = caller
  return { clientRef, clientId }
}

/** Its row id. @throws as `clientOf` */
function clientRefOf(request: FastifyRequest): number {
  return clientOf(request).clientRef
}
