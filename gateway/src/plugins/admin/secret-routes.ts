import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { endOldSecret, listClientSecrets, rotateClientSecret } from 'schema'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import { auditLog } from './audit-log.ts'
import type { SecretService } from './secret-service.ts'

export const secretRoutes: FastifyPluginAsyncTypebox<{
  secrets: SecretService
  nowMs: () => number
}> = async (app, { secrets, nowMs }) => {
  app.route({
    ...routeOf(listClientSecrets),
    handler: async (request) => secrets.list(request.params.id),
  })

  app.route({
    ...routeOf(rotateClientSecret),
    handler: async (request, reply) => {
      const author = authorOf(request, nowMs())
      const { clientId, rotated } = await secrets.rotate(request.params.id, request.body, author)
      const { secretPreview, oldSecretExpiresAt } = rotated
      auditLog(request, 'client secret rotated', {
        ...{ clientId, secretPreview },
        oldSecretExpiresAt: oldSecretExpiresAt ?? 'at once',
      })
      return reply.code(201).header('cache-control', 'no-store').send(rotated)
    },
  })

  app.route({
    ...routeOf(endOldSecret),
    handler: async (request, reply) => {
      const clientId = await secrets.endOld(request.params.id, authorOf(request, nowMs()))
      auditLog(request, 'old client secret ended', { clientId })
      return reply.code(204).send(null)
    },
  })
}
