import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, Histogram, type Registry } from 'prom-client'
import { signInAttemptOf } from '../../http/sign-in-attempt.ts'

/** Seconds; a proxied request waits in the queue for up to three minutes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 180]

/**
 * Requests and their responses. Label values come from the catalogue or this program, never from a
 * request's path: paths are unlimited.
 */
export function createHttpMetrics(registry: Registry) {
  const requests = new Counter({
    name: 'sluice_http_requests_total',
    help: 'Requests, by endpoint of the catalogue, status and class',
    labelNames: ['route', 'status', 'class'] as const,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'sluice_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its response is sent, including the time in the queue',
    labelNames: ['exchange', 'class'] as const,
    buckets: BUCKETS,
    registers: [registry],
  })
  const errors = new Counter({
    name: 'sluice_http_errors_total',
    help: 'Requests that got an error response, by its stable code',
    labelNames: ['code'] as const,
    registers: [registry],
  })
  // A counter that appears with its first error has not increased, as Prometheus sees it.
  errors.inc({ code: 'INTERNAL_ERROR' }, 0)
  const attempts = new Counter({
    name: 'sluice_sign_ins_total',
    help: 'Attempts to sign in (kind admin) and to get a token (kind client), by result',
    labelNames: ['kind', 'result'] as const,
    registers: [registry],
  })
  for (const kind of ['admin', 'client'] as const)
    for (const result of ['ok', 'refused', 'throttled'] as const) attempts.inc({ kind, result }, 0)

  return (request: FastifyRequest, reply: FastifyReply) => {
    const { endpoint } = request.routeOptions.config
    const route = endpoint?.id ?? 'other'
    const { requestClass = 'none', exchange = 'none' } = endpoint?.proxy ?? {}
    // On an exchange's own paths the policy determines the class.
    const kind = request.rawCall?.kind ?? requestClass
    const status = reply.statusCode
    requests.inc({ route, status, class: kind })
    seconds.observe({ exchange, class: kind }, reply.elapsedTime / 1000)
    if (request.errorCode !== null) errors.inc({ code: request.errorCode })
    const attempt = signInAttemptOf(request, reply)
    if (attempt !== undefined) attempts.inc({ ...attempt })
  }
}
