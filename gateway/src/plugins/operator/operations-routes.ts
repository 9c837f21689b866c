import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getOperations, getOperationsHistory } from 'schema'
import { routeOf } from '../../http/route.ts'
import type { OperationsService } from './operations-service.ts'
import type { QueueHistory } from './queue-history.ts'

export const operationsRoutes: FastifyPluginAsyncTypebox<{
  service: OperationsService
  history: Pick<QueueHistory, 'read'>
}> = async (app, { service, history }) => {
  app.route({ ...routeOf(getOperations), handler: async () => service.read() })
  app.route({
    ...routeOf(getOperationsHistory),
    handler: async ({ query }) => history.read(query.span ?? '5m'),
  })
}
