import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { dropQueueEntry, dropQueueOfClient, listQueue, resumeExchange, stopExchange } from 'schema'
import { routeOf } from '../../http/route.ts'
import { auditLog } from './audit-log.ts'
import type { QueueService } from './queue-service.ts'

export const queueRoutes: FastifyPluginAsyncTypebox<{ queue: QueueService }> = async (
  app,
  { queue },
) => {
  app.route({ ...routeOf(listQueue), handler: async () => queue.list() })

  app.route({
    ...routeOf(dropQueueEntry),
    handler: async (request, reply) => {
      const { exchange, id } = request.params
      const reason = request.query.reason ?? 'no reason given'
      queue.drop(exchange, id, reason)
      auditLog(request, 'queued request dropped', { exchange, id, reason })
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...routeOf(dropQueueOfClient),
    handler: async (request) => {
      const { exchange } = request.params
      const { clientId, requestClass, reason = 'no reason given' } = request.query
      const dropped = queue.dropClient(exchange, clientId, reason, requestClass)
      const what = { exchange, clientId, requestClass: requestClass ?? 'all', reason }
      auditLog(request, 'queued requests of a client dropped', { ...what, dropped: `${dropped}` })
      return { dropped }
    },
  })

  app.route({
    ...routeOf(stopExchange),
    handler: async (request) => {
      const { exchange } = request.params
      const { reason, cancelOrders = false } = request.body
      auditLog(request, 'exchange stopped', { exchange, reason, cancelOrders: `${cancelOrders}` })
      return queue.stop(exchange, { reason, cancelOrders })
    },
  })

  app.route({
    ...routeOf(resumeExchange),
    handler: async (request) => {
      const { exchange } = request.params
      const { reason = 'no reason given' } = request.query
      auditLog(request, 'exchange resumed', { exchange, reason })
      return queue.resume(exchange)
    },
  })
}
