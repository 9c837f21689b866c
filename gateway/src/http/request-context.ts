import type { Context } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamResponse } from '../exchanges/exchange.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { passedHeaders } from '../upstream/responses.ts'
import { pathOf } from './errors.ts'
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
    ...readCacheControl(request.headers['cache-control']),
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

/**
 * The longest time that the caller will wait in the queue (`Prefer: wait=SECONDS`, RFC 7240, 4.3).
 * @returns undefined without a usable value: the RFC has servers ignore preferences that they do
 * not understand
 */
export function readPreferWaitMs(prefer: string | string[] | undefined): number | undefined {
  const text = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?(?=$|[,;\s])/i.exec(text)
  return match?.[1] === undefined ? undefined : Number(match[1]) * 1000
}

/** Each directive whole, with the commas of its quoted text. */
const DIRECTIVES = /(?:"(?:[^"\\]|\\.)*"?|[^,"])+/g

/**
 * What a caller says of kept responses (`Cache-Control`, RFC 9111, 5.2.1). The RFC has caches
 * ignore directives that they do not understand; of several ages, the lowest counts.
 */
function readCacheControl(text: string | undefined): Pick<RequestContext, 'maxAgeMs' | 'noStore'> {
  if (text === undefined) return {}
  const directives = (text.match(DIRECTIVES) ?? []).map((each) => each.trim().toLowerCase())
  const ages = directives.flatMap((each) => {
    if (each === 'no-cache') return 0
    const match = /^max-age=("?)(\d+)\1$/.exec(each)
    return match === null ? [] : Number(match[2]) * 1000
  })
  return {
    ...(ages.length === 0 ? {} : { maxAgeMs: Math.min(...ages) }),
    ...(directives.includes('no-store') ? { noStore: true } : {}),
  }
}

/**
 * Whether the caller wants a status URL instead of waiting (`Prefer: respond-async`, RFC 7240,
 * 4.1).
 */
export function prefersAsync(prefer: string | string[] | undefined): boolean {
  const text = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')
  return /(?:^|[,;\s])respond-async(?=$|[,;\s])/i.test(text)
}

/**
 * Aborts when the connection closes before the response is complete. Fastify's own `request.signal`
 * already aborts once the body of a POST has been read, because Node then closes the request's
 * stream (Node docs, http.IncomingMessage, event 'close').
 */
export function hangUpSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const { raw } = reply
  if (raw.destroyed) controller.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}
