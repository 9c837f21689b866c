import type { FastifyInstance } from 'fastify'
import { healthLive, healthReady } from 'schema'
import { routeOf } from './route.ts'

/** Why the gateway should get no work; undefined when this part of it is well. One that throws is not. */
export type ReadinessCheck = () => Promise<string | undefined> | string | undefined

/** `/health/live` touches nothing; `/health/ready` asks each part of the gateway. */
export function healthRoutes(app: FastifyInstance, checks: readonly ReadinessCheck[]): void {
  app.route({ ...routeOf(healthLive), handler: async () => ({ status: 'ok' }) })
  const ready = routeOf(healthReady)
  app.route({
    ...ready,
    // The reasons are the answer, also when it is 503.
    schema: { ...ready.schema, response: { ...ready.schema.response, 503: healthReady.response } },
    handler: async (request, reply) => {
      const found = await Promise.all(
        checks.map(async (check) => {
          try {
            return await check()
          } catch (err) {
            request.log.error({ err }, 'a readiness check failed')
            return reasonOf(err)
          }
        }),
      )
      // Two checks may fail for the same reason.
      const reasons = [...new Set(found)].filter((reason) => reason !== undefined)
      if (reasons.length > 0) reply.code(503)
      return { status: reasons.length > 0 ? 'not-ready' : 'ready', reasons } as const
    },
  })
}

/** What an error of ours tells an operator; of any other, the log has the words. */
function reasonOf(error: unknown): string {
  const isOurs = error instanceof Error && 'statusCode' in error
  return isOurs ? error.message : 'a part of the gateway cannot be checked; its log has the reason'
}
