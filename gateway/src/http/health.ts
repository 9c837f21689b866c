import type { FastifyInstance } from 'fastify'
import { healthLive, healthReady } from 'schema'
import { routeOf } from './route.ts'

/** Why the gateway should get no work; undefined when this part of it is well. */
export type ReadinessCheck = () => Promise<string | undefined> | string | undefined

/** `/health/live` touches nothing; `/health/ready` asks each part of the gateway. */
export function healthRoutes(app: FastifyInstance, checks: readonly ReadinessCheck[]): void {
  app.route({ ...routeOf(healthLive), handler: async () => ({ status: 'ok' }) })
  const ready = routeOf(healthReady)
  app.route({
    ...ready,
    // The reasons are the answer, also when it is 503.
    schema: { ...ready.schema, response: { ...ready.schema.response, 503: healthReady.response } },
    handler: async (_request, reply) => {
      const found = await Promise.all(checks.map((check) => check()))
      const reasons = found.filter((reason) => reason !== undefined)
      if (reasons.length > 0) reply.code(503)
      return { status: reasons.length > 0 ? 'not-ready' : 'ready', reasons } as const
    },
  })
}
