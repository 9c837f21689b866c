import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteApiKey, listApiKeys, saveApiKey, testApiKey } from 'schema'
import { type Act, approvableRouteOf } from '../../http/approvable.ts'
import { authorOf } from '../../http/author.ts'
import { hangUpSignal } from '../../http/request-context.ts'
import { routeOf } from '../../http/route.ts'
import type { ApiKeyService } from './api-key-service.ts'
import { auditLog } from './audit-log.ts'
import type { KeyTestService } from './key-test-service.ts'
import { type KeyReviewDeps, reviewKeys } from './review-keys.ts'

export interface ApiKeyRoutesOptions {
  readonly apiKeys: ApiKeyService
  readonly keyTest: KeyTestService
  readonly stores: KeyReviewDeps
  readonly nowMs: () => number
}

export const apiKeyRoutes: FastifyPluginAsyncTypebox<ApiKeyRoutesOptions> = async (
  app,
  options,
) => {
  const { apiKeys, keyTest, stores, nowMs } = options

  app.route({ ...routeOf(listApiKeys), handler: async () => apiKeys.list() })

  app.route(
    approvableRouteOf(
      saveApiKey,
      {
        review: ({ body }) => reviewKeys(stores, body),
        check: ({ body }, act) => apiKeys.check(body, savedBy(act)),
        async carryOut({ body }, act) {
          const saved = await apiKeys.save(body, savedBy(act))
          const { clientId, exchange } = saved
          auditLog(act.request, 'exchange keys saved', { clientId, exchange })
          return saved
        },
      },
      nowMs,
    ),
  )

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

const savedBy = ({ author, request }: Act) => ({ author, requestId: request.id })
