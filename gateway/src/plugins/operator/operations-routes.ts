import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getOperations, getOperationsHistory, listNodes } from 'schema'
import { routeOf } from '../../http/route.ts'
import type { NodesService } from './nodes-service.ts'
import type { OperationsService } from './operations-service.ts'
import type { QueueHistory } from './queue-history.ts'

export const operationsRoutes: FastifyPluginAsyncTypebox<{
  service: OperationsService
  history: Pick<QueueHistory, 'read'>
  nodes: NodesService
}> = async (app, { service, history, nodes }) => {
  app.route({ ...routeOf(getOperations), handler: async () => service.read() })
  app.route({ ...routeOf(listNodes), handler: async () => nodes.read() })
  app.route({
    ...routeOf(getOperationsHistory),
    handler: async ({ query }) => history.read(query.span ?? '5m'),
  })
}
