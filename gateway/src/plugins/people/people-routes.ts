import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  changePerson,
  createPerson,
  endSessionsOfPerson,
  listPeople,
  listSessionsOfPerson,
  resetPassword,
} from 'schema'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import { selfOf } from './account-routes.ts'
import type { PeopleService } from './people-service.ts'

export const peopleRoutes: FastifyPluginAsyncTypebox<{
  people: PeopleService
  nowMs: () => number
}> = async (app, { people, nowMs }) => {
  app.route({ ...routeOf(listPeople), handler: async () => people.list() })

  app.route({
    ...routeOf(createPerson),
    handler: async (request, reply) =>
      reply.code(201).send(await people.create(request.body, authorOf(request, nowMs()))),
  })

  app.route({
    ...routeOf(changePerson),
    handler: async (request) =>
      people.change(request.params.id, request.body, authorOf(request, nowMs())),
  })

  app.route({
    ...routeOf(resetPassword),
    handler: async (request) => people.resetPassword(request.params.id, authorOf(request, nowMs())),
  })

  app.route({
    ...routeOf(listSessionsOfPerson),
    handler: async (request) => people.sessions(request.params.id, selfOf(request).jti),
  })

  app.route({
    ...routeOf(endSessionsOfPerson),
    handler: async (request) => ({
      endedSessions: await people.endSessions(request.params.id, authorOf(request, nowMs())),
    }),
  })
}
