import type { Context } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamResponse } from '../exchanges/exchange.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { passedHeaders } from '../upstream/stored-response.ts'
import { pathOf } from './errors.ts'
import { hangUpSignal } from './hang-up.ts'
import { readPreferWaitMs } from './headers.ts'
import { permissionFor } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's span; null when the request is not traced, absent when tracing is off. */
    trace?: Context | null
  }
}

/**
 * The context of a guarded proxy request.
 * @throws when the route has no guard or no log row: a bug
 */
export function requestContextOf(request: FastifyRequest, reply: FastifyReply): RequestContext {
  const { caller, timings, trace, guardedAtMs: readSinceMs } = request
  if (caller?.kind !== 'client' || timings === null)
    throw new Error(`${request.url} is proxied without a guard or a log row`)
  const permission = permissionFor(request)
  const maxWaitMs = readPreferWaitMs(request.headers.prefer)
  return {
    requestId: request.id,
    method: request.method,
    endpoint: pathOf(request.url),
    clientRef: caller.clientRef,
    clientId: caller.clientId,
    readSinceMs,
    signal: hangUpSignal(reply),
    ...(permission === undefined ? {} : { permission }),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    ...(trace === undefined || trace === null ? {} : { trace }),
    timings,
  }
}

/** Sends an exchange's response unchanged: its status and its bytes. */
export function sendAsIs(reply: FastifyReply, response: UpstreamResponse): FastifyReply {
  const type = response.headers['content-type']
  if (type !== undefined) reply.header('content-type', type)
  return reply.code(response.status).headers(passedHeaders(response)).send(response.body)
}
