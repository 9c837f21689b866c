import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { getRequest, withdrawRequest } from 'schema'
import { routeOf, textRouteOf } from '../../http/route.ts'
import { createRequestService, type RequestServiceDeps } from './request-service.ts'
import { toStatusText } from './status-text.ts'

/** `/api/requests/{id}`: the status of an order or cancel, for its own client. */
export const requests: FastifyPluginAsyncTypebox<RequestServiceDeps> = async (app, deps) => {
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

function clientRefOf({ caller, url }: FastifyRequest): number {
  if (caller?.kind !== 'client') throw new Error(`${url} has no guard for clients`)
  return caller.clientRef
}
