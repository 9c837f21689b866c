import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountRoutes } from './account-routes.ts'
import { type AccountServiceDeps, createAccountService } from './account-service.ts'
import { peopleRoutes } from './people-routes.ts'
import { createPeopleService, type PeopleServiceDeps } from './people-service.ts'
import { createPeopleReviews, type PeopleReviewDeps } from './review-people.ts'

export type PeopleOptions = AccountServiceDeps & PeopleServiceDeps & PeopleReviewDeps

/** What administrators do with their own accounts, and with those of each other. */
export const people: FastifyPluginAsyncTypebox<PeopleOptions> = async (app, options) => {
  const { nowMs } = options
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  await app.register(accountRoutes, { nowMs, account: createAccountService(options) })
  await app.register(peopleRoutes, {
    nowMs,
    people: createPeopleService(options),
    reviews: createPeopleReviews(options),
  })
}
