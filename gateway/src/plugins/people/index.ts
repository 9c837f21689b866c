import type { FastifyPluginAsync } from 'fastify'
import { accountRoutes } from './account.ts'
import { peopleRoutes } from './people.ts'
import type { PeopleParts } from './person.ts'

/** What administrators do with their own accounts, and with those of each other. */
export const people: FastifyPluginAsync<PeopleParts> = async (app, parts) => {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  await app.register(accountRoutes, parts)
  await app.register(peopleRoutes, parts)
}
