import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamAnswer } from '../exchanges/exchange.ts'
import type { Errand } from '../relay/relay.ts'
import { pathOf } from './errors.ts'
import { readPreferWaitMs } from './headers.ts'

/** A guarded proxy request as the relay wants it. @throws when the route has no guard or is not recorded: a bug */
export function errandOf(request: FastifyRequest): Errand {
  const { caller, trip } = request
  if (caller?.kind !== 'client' || trip === null)
    throw new Error(`${request.url} is proxied without a guard or a log row`)
  const permission = request.routeOptions.config.endpoint?.proxy?.permission
  const maxWaitMs = readPreferWaitMs(request.headers.prefer)
  return {
    requestId: request.id,
    method: request.method,
    endpoint: pathOf(request.url),
    clientRef: caller.clientRef,
    clientId: caller.clientId,
    signal: trip.hangUp,
    ...(permission === undefined ? {} : { permission }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    trip,
  }
}

/** Of an exchange's answer, what a caller gets besides status and body. */
const PASSED_HEADERS = ['content-type', 'retry-after', 'x-mbx-used-remain-limit'] as const

/** Answers with what the exchange answered: its status, its bytes. */
export function sendAsIs(reply: FastifyReply, answer: UpstreamAnswer): FastifyReply {
  for (const name of PASSED_HEADERS) {
    const value = answer.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  return reply.code(answer.status).send(answer.body)
}
