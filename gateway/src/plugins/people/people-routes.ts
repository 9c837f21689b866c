import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  changePerson,
  createPerson,
  endSessionsOfPerson,
  listPeople,
  listSessionsOfPerson,
  resetPassword,
} from 'schema'
import { type Act, approvableRouteOf } from '../../http/approvable.ts'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import { selfOf } from './account-routes.ts'
import type { ChangedBy, PeopleService } from './people-service.ts'
import type { PeopleReviews } from './review-people.ts'

export const peopleRoutes: FastifyPluginAsyncTypebox<{
  people: PeopleService
  reviews: PeopleReviews
  nowMs: () => number
}> = async (app, { people, reviews, nowMs }) => {
  app.route({ ...routeOf(listPeople), handler: async () => people.list() })

  app.route(
    approvableRouteOf(
      createPerson,
      {
        review: ({ body }) => reviews.create(body),
        check: ({ body }) => people.check(body),
        carryOut: ({ body }, { author }) => people.create(body, author),
      },
      nowMs,
    ),
  )

  app.route(
    approvableRouteOf(
      changePerson,
      {
        review: ({ params, body }, { request }) =>
          reviews.change(params.id, body, selfOf(request).adminId),
        check: ({ params, body }) => people.checkChange(params.id, body),
        carryOut: ({ params, body }, act) => people.change(params.id, body, changedBy(act)),
      },
      nowMs,
    ),
  )

  app.route(
    approvableRouteOf(
      resetPassword,
      {
        review: ({ params }, { request }) =>
          reviews.resetPassword(params.id, selfOf(request).adminId),
        check: ({ params }) => people.checkReset(params.id),
        carryOut: ({ params }, act) => people.resetPassword(params.id, changedBy(act)),
      },
      nowMs,
    ),
  )

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

function changedBy({ request, author, isApproved }: Act): ChangedBy {
  return { adminId: selfOf(request).adminId, author, isApproved }
}
