import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { changePassword, endOwnSession, getAccount, listOwnSessions } from 'schema'
import { authorOf, countedCaller } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import type { AccountService, Self } from './account-service.ts'
import { SessionNotFoundError } from './errors.ts'

export const accountRoutes: FastifyPluginAsyncTypebox<{
  account: AccountService
  nowMs: () => number
}> = async (app, { account, nowMs }) => {
  app.route({ ...routeOf(getAccount), handler: async (request) => account.read(selfOf(request)) })

  app.route({
    ...routeOf(changePassword),
    handler: async (request) => {
      const { newPassword } = request.body
      const address = countedCaller(request)?.address ?? ''
      const author = authorOf(request, nowMs())
      const self = selfOf(request)
      return { endedSessions: await account.changePassword(self, newPassword, address, author) }
    },
  })

  app.route({
    ...routeOf(listOwnSessions),
    handler: async (request) => account.sessions(selfOf(request)),
  })

  app.route({
    ...routeOf(endOwnSession),
    handler: async (request, reply) => {
      await account.endSession(selfOf(request), request.params.id, authorOf(request, nowMs()))
      return reply.code(204).send(null)
    },
  })
}

/** @throws SessionNotFoundError without a session, which the guard has rejected before */
export function selfOf({ caller }: FastifyRequest): Self {
  if (caller?.kind !== 'admin') throw new SessionNotFoundError('')
  return caller
}
