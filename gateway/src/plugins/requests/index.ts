import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  cancelOwnOrders,
  getOwnCancel,
  getOwnLimits,
  getRequest,
  type LimitUsage,
  listOwnOrders,
  putHeartbeat,
  withdrawRequest,
} from 'schema'
import { routeOf, textRouteOf } from '../../http/route.ts'
import type { Heartbeats } from '../../orders/heartbeats.ts'
import { ownOrdersOf, toOwnCancel } from '../../orders/own-cancel-run.ts'
import type { OwnCancels } from '../../orders/own-cancels.ts'
import { OwnOrders, type OwnOrdersDeps } from '../../orders/own-orders.ts'
import { limitsOf, stopOf } from '../../store/client-limits.ts'
import type { ClientStore } from '../../store/client-store.ts'
import { ClientGoneError } from '../../store/errors.ts'
import {
  CancelNotFoundError,
  createRequestService,
  type RequestServiceDeps,
  toStatusText,
} from './request-service.ts'

interface OwnOrdersRoutesDeps extends OwnOrdersDeps {
  readonly ownCancels: Pick<OwnCancels, 'start' | 'keep' | 'find'>
}

/** A client's own orders: their list, and the cancel of all of them. */
const ownOrdersRoutes: FastifyPluginAsyncTypebox<OwnOrdersRoutesDeps> = async (app, deps) => {
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

interface OwnLimitsDeps {
  readonly clients: Pick<ClientStore, 'find'>
  readonly readUsage: (clientRef: number) => Promise<LimitUsage>
}

/** A client's own limits, and how much of them is used. */
const ownLimitsRoute: FastifyPluginAsyncTypebox<OwnLimitsDeps> = async (
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

interface HeartbeatRouteDeps {
  readonly heartbeats: Pick<Heartbeats, 'beat'>
}

/** A client's heartbeat. */
const heartbeatRoute: FastifyPluginAsyncTypebox<HeartbeatRouteDeps> = async (
  app,
  { heartbeats },
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
export const requests: FastifyPluginAsyncTypebox<
  RequestServiceDeps & OwnLimitsDeps & OwnOrdersRoutesDeps & HeartbeatRouteDeps
> = async (app, deps) => {
  await app.register(ownLimitsRoute, deps)
  await app.register(ownOrdersRoutes, deps)
  await app.register(heartbeatRoute, deps)
  const service = createRequestService(deps)

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
export function clientOf({ caller, url }: FastifyRequest) {
  if (caller?.kind !== 'client') throw new Error(`${url} has no guard for clients`)
  const { clientRef, clientId } = caller
  return { clientRef, clientId }
}

/** Its row id. @throws as `clientOf` */
export function clientRefOf(request: FastifyRequest): number {
  return clientOf(request).clientRef
}
