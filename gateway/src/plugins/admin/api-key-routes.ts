import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteApiKey, listApiKeys, saveApiKey, testApiKey } from 'schema'
import { authorOf } from '../../http/author.ts'
import { hangUpSignal } from '../../http/hang-up.ts'
import { routeOf } from '../../http/route.ts'
import type { ApiKeyService } from './api-key-service.ts'
import { auditLog } from './audit-log.ts'
import type { KeyTestService } from './key-test-service.ts'

export interface ApiKeyRoutesOptions {
  readonly apiKeys: ApiKeyService
  readonly keyTest: KeyTestService
  readonly nowMs: () => number
}

export const apiKeyRoutes: FastifyPluginAsyncTypebox<ApiKeyRoutesOptions> = async (
  app,
  options,
) => {
  const { apiKeys, keyTest, nowMs } = options

  app.route({ ...routeOf(listApiKeys), handler: async () => apiKeys.list() })

  app.route({
    ...routeOf(saveApiKey),
    handler: async (request, reply) => {
      const by = { author: authorOf(request, nowMs()), requestId: request.id }
      const saved = await apiKeys.save(request.body, by)
      auditLog(request, 'exchange keys saved', {
        clientId: saved.clientId,
        exchange: saved.exchange,
      })
      return reply.code(201).send(saved)
    },
  })

  app.route({
    ...routeOf(deleteApiKey),
    handler: async (request, reply) => {
      const { clientId, exchange } = request.params
      await apiKeys.remove(clientId, exchange, authorOf(request, nowMs()))
      auditLog(request, 'exchange keys deleted', { clientId, exchange })
      return reply.code(204).send(null)
    },
  })

  app.route({
    ...routeOf(testApiKey),
    handler: async (request, reply) => {
      const result = await keyTest.test({
        ...request.body,
        requestId: request.id,
        signal: hangUpSignal(reply),
        author: authorOf(request, nowMs()),
      })
      auditLog(request, 'exchange keys tested', {
        clientId: result.clientId,
        exchange: result.exchange,
        testStatus: result.testStatus,
      })
      return result
    },
  })
}
