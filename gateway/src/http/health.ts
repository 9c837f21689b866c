import type { FastifyInstance } from 'fastify'
import { healthLive, healthReady } from 'schema'
import { COMMIT, VERSION } from '../version.ts'
import { isFromThisMachine } from './proxies.ts'
import { routeOf } from './route.ts'

/**
 * Returns why the gateway should get no requests; undefined when this part is healthy. A check that
 * throws has failed.
 */
export type ReadinessCheck = () => Promise<string | undefined> | string | undefined

const RUNNING = { version: VERSION, commit: COMMIT }

/**
 * `/health/live` checks nothing; `/health/ready` runs every check.
 * @param warnings what works, but a person should change: only this machine gets it
 */
export function healthRoutes(
  app: FastifyInstance,
  checks: readonly ReadinessCheck[],
  warnings: () => readonly string[],
): void {
  app.route({ ...routeOf(healthLive), handler: async () => ({ status: 'ok', ...RUNNING }) })
  const ready = routeOf(healthReady)
  app.route({
    ...ready,
    // A 503 carries the reasons in the same format.
    schema: {
      ...ready.schema,
      response: {
        ...ready.schema.response,
        503: { ...healthReady.response, description: 'Not ready' },
      },
    },
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
      const shown = isFromThisMachine(request) ? warnings() : []
      return {
        status: reasons.length > 0 ? ('not-ready' as const) : ('ready' as const),
        reasons,
        ...RUNNING,
        ...(shown.length > 0 ? { warnings: [...shown] } : {}),
      }
    },
  })
}

/**
 * Our own errors have a message for the operator. The message of any other error goes only to the
 * log.
 */
function reasonOf(error: unknown): string {
  const isOurs = error instanceof Error && 'statusCode' in error
  return isOurs ? error.message : 'a part of the gateway cannot be checked; its log has the reason'
}
