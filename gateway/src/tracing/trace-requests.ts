import { type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readTraceparent, toTraceparent } from './traceparent.ts'

/**
 * Creates a span for each request in the catalogue except the operator's own. A proxied request
 * passes it on in its `RequestContext`.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('trace', null)

  app.addHook('onRequest', async (request) => {
    const { endpoint } = request.routeOptions.config
    if (endpoint === undefined || endpoint.tag === 'Operations') return
    const { traceparent, tracestate } = request.headers
    const parent = readTraceparent(traceparent, tracestate)
    const span = tracer.startSpan(
      `${request.method} ${endpoint.path}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': request.method,
          'http.route': endpoint.path,
          'sluice.request_id': request.id,
        },
      },
      parent,
    )
    request.trace = trace.setSpan(parent, span)
    // Another node that gets this request makes its span a child of this one.
    request.headers.traceparent = toTraceparent(span.spanContext())
  })

  app.addHook('onResponse', async (request, reply) => {
    const span = request.trace ? trace.getSpan(request.trace) : undefined
    if (span !== undefined) end(span, request, reply)
  })
}

function end(
  span: Span,
  { caller, errorCode, timings }: FastifyRequest,
  reply: FastifyReply,
): void {
  span.setAttribute('http.response.status_code', reply.statusCode)
  if (caller?.kind === 'client') span.setAttribute('sluice.client_id', caller.clientId)
  if (errorCode !== null) span.setAttribute('error.type', errorCode)
  // Only a request to an exchange has timings.
  if (timings?.queueMs != null) span.setAttribute('sluice.queue_ms', timings.queueMs)
  if (timings?.shared === true) span.setAttribute('sluice.shared', true)
  if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
