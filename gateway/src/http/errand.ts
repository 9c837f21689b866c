import type { Context } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamAnswer } from '../exchanges/exchange.ts'
import type { Errand } from '../upstream/request-context.ts'
import { passedHeaders } from '../upstream/stored-response.ts'
import { pathOf } from './errors.ts'
import { readPreferWaitMs } from './headers.ts'
import { permissionFor } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's span; null when it is not traced, absent when nothing is. */
    trace?: Context | null
  }
}

/** A guarded proxy request as the relay wants it. @throws when the route has no guard or is not recorded: a bug */
export function errandOf(request: FastifyRequest): Errand {
  const { caller, trip, trace } = request
  if (caller?.kind !== 'client' || trip === null)
    throw new Error(`${request.url} is proxied without a guard or a log row`)
  const permission = permissionFor(request)
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
    ...(trace === undefined || trace === null ? {} : { trace }),
    trip,
  }
}

/** Answers with what the exchange answered: its status, its bytes. */
export function sendAsIs(reply: FastifyReply, answer: UpstreamAnswer): FastifyReply {
  const type = answer.headers['content-type']
  if (type !== undefined) reply.header('content-type', type)
  return reply.code(answer.status).headers(passedHeaders(answer)).send(answer.body)
}
