import type { FastifyInstance } from 'fastify'
import { healthLive, healthReady } from 'schema'
import type { Time } from '../time.ts'
import { COMMIT, VERSION } from '../version.ts'
import { isFromThisMachine } from './proxies.ts'
import { routeOf } from './route.ts'

/** A load balancer often waits for a second. */
const CHECK_MS_MAX = 700

export interface ReadinessCheck {
  /**
   * Returns why the gateway should get no requests; undefined when this part is healthy. A check
   * that throws has failed.
   */
  check(): Promise<string | undefined> | string | undefined
  /** The reason for an operator, of an error that the check throws. */
  textOf?(error: unknown): string | undefined
  /** The reason while the check has no result. */
  readonly late: string
}

interface HealthOptions {
  readonly checks: readonly ReadinessCheck[]
  /** Non-fatal problems to fix: only this machine gets them. */
  readonly warnings: () => readonly string[]
  readonly time: Pick<Time, 'sleep'>
}

const RUNNING = { version: VERSION, commit: COMMIT }

/**
 * `/health/live` checks nothing; `/health/ready` runs every check, and responds within a second.
 * The log has one line for each change.
 */
export function healthRoutes(
  app: FastifyInstance,
  { checks, warnings, time }: HealthOptions,
): void {
  app.route({ ...routeOf(healthLive), handler: async () => ({ status: 'ok', ...RUNNING }) })
  const ready = routeOf(healthReady)
  const running = checks.map((check) => limited(check, time))
  let logged = ''
  const logChange = (reasons: readonly string[], err: unknown) => {
    const text = reasons.join('; ')
    if (text === logged) return
    logged = text
    if (text === '') app.log.info('the gateway is ready again')
    else app.log.warn({ reasons, err }, 'the gateway is not ready')
  }
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
      const found = await Promise.all(running.map((check) => check()))
      const reasons = found.flatMap(({ reason }) => reason ?? [])
      logChange(reasons, found.find(({ error }) => error !== undefined)?.error)
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

interface Found {
  readonly reason: string | undefined
  readonly error?: unknown
}

/** Runs a check once at a time, and waits for it for a moment at most. */
function limited(check: ReadinessCheck, time: Pick<Time, 'sleep'>): () => Promise<Found> {
  let running: Promise<Found> | undefined
  const run = async (): Promise<Found> => {
    try {
      return { reason: await check.check() }
    } catch (error) {
      return { reason: check.textOf?.(error) ?? reasonOf(error), error }
    }
  }
  return async () => {
    const over = new AbortController()
    const late = time.sleep(CHECK_MS_MAX, { signal: over.signal, ref: false }).then(
      () => ({ reason: check.late }),
      () => ({ reason: undefined }),
    )
    // A check that throws at once has ended before it is remembered.
    running ??= run().finally(() => {
      running = undefined
    })
    const found = await Promise.race([running, late])
    over.abort()
    return found
  }
}

/**
 * Our own errors have a message for the operator. The message of any other error goes only to the
 * log.
 */
function reasonOf(error: unknown): string {
  const isOurs = error instanceof Error && 'statusCode' in error
  return isOurs ? error.message : 'a part of the gateway cannot be checked; its log has the reason'
}
