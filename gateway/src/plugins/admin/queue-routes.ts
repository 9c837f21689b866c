import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { dropQueueEntry, dropQueueOfClient, listQueue, resumeExchange, stopExchange } from 'schema'
import { approvableRouteOf } from '../../http/approvable.ts'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import type { Stops } from '../../orders/stops.ts'
import { auditLog } from './audit-log.ts'
import type { QueueService } from './queue-service.ts'
import { reviewResume } from './review-resume.ts'

export const queueRoutes: FastifyPluginAsyncTypebox<{
  queue: QueueService
  stops: Pick<Stops, 'get'>
  nowMs: () => number
}> = async (app, { queue, stops, nowMs }) => {
  app.route({ ...routeOf(listQueue), handler: async () => queue.list() })

  app.route({
    ...routeOf(dropQueueEntry),
    handler: async (request, reply) => {
      const { exchange, id } = request.params
      const reason = request.query.reason ?? 'no reason given'
      await queue.drop(exchange, id, reason, authorOf(request, nowMs()))
      auditLog(request, 'queued request dropped', { exchange, id, reason })
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...routeOf(dropQueueOfClient),
    handler: async (request) => {
      const { exchange } = request.params
      const { clientId, requestClass, reason = 'no reason given' } = request.query
      const order = { clientId, reason, requestClass }
      const dropped = await queue.dropClient(exchange, order, authorOf(request, nowMs()))
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
      const author = authorOf(request, nowMs())
      return queue.stop(exchange, { reason, cancelOrders, author })
    },
  })

  app.route(
    approvableRouteOf(
      resumeExchange,
      {
        review: ({ params: { exchange }, query }) =>
          reviewResume(stops, { exchange }, exchange, query.reason),
        async carryOut({ params: { exchange }, query }, { request, author }) {
          const { reason = 'no reason given' } = query
          const resumed = await queue.resume(exchange, reason, author)
          auditLog(request, 'exchange resumed', { exchange, reason })
          return resumed
        },
      },
      nowMs,
    ),
  )
}
