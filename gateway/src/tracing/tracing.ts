import {
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallReport } from '../upstream/events.ts'
import { VERSION } from '../version.ts'

export interface TracingConfig {
  /** The URL that spans are posted to, path included. */
  readonly url: string
  /** Headers of every post to the collector. */
  readonly headers: Readonly<Record<string, string>>
  /** Attributes of every span, `service.name` among them. */
  readonly attributes: Readonly<Record<string, string>>
  /** The share of traces that is kept, 0 to 1. */
  readonly ratio: number
  /** Whether a caller's own sampling decision in its traceparent overrides the ratio. */
  readonly followsCaller: boolean
}

/** Where calls go, and what they are called. */
interface Upstreams {
  /** The origin of each family. */
  readonly origins: Readonly<Record<CallReport['call']['family'], string>>
  /** The path of a call with `{name}` for what varies; undefined when nobody knows it. */
  readonly templateOf: (call: CallReport['call']) => string | undefined
}

export interface Tracing {
  readonly called: (report: CallReport) => void
  /**
   * Sends the remaining spans, for at most this long. It never throws: a collector must not keep
   * the gateway from stopping.
   */
  close(withinMs: number): Promise<void>
}

/**
 * The edition of the semantic conventions that the names of spans and attributes follow. What
 * begins with `sluice.` is the gateway's own.
 */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0'

/**
 * Sends spans to an OTLP collector. This module and its imports are loaded only when a collector is
 * configured. The exporter itself reads certificates, compression and timeouts from the standard
 * variables.
 */
export function startTracing(
  app: FastifyInstance,
  config: TracingConfig,
  upstreams: Upstreams,
): Tracing {
  const { url, headers, attributes, ratio, followsCaller } = config
  const byRatio = new TraceIdRatioBasedSampler(ratio)
  diag.setLogger(loggerTo(app), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.version': VERSION, ...attributes }),
    ),
    sampler: new ParentBasedSampler(
      followsCaller
        ? { root: byRatio }
        : { root: byRatio, remoteParentSampled: byRatio, remoteParentNotSampled: byRatio },
    ),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, headers }) })],
  })
  const tracer = provider.getTracer('sluice', VERSION, { schemaUrl: SCHEMA_URL })
  traceRequests(app, tracer)
  return {
    called: traceCalls(tracer, upstreams),
    async close(withinMs) {
      const over = Promise.withResolvers<void>()
      const timer = setTimeout(over.resolve, withinMs)
      const left = provider
        .shutdown()
        .catch((error: unknown) =>
          app.log.warn({ err: error }, 'the last spans could not be delivered'),
        )
      await Promise.race([left, over.promise])
      clearTimeout(timer)
    },
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Writes the library's messages, such as an unreachable collector, to the gateway's log. */
function loggerTo({ log }: FastifyInstance) {
  const say = (level: 'error' | 'warn' | 'debug') => (message: string) =>
    log[level]({ from: 'opentelemetry' }, message)
  return {
    error: say('error'),
    warn: say('warn'),
    info: say('debug'),
    debug: say('debug'),
    verbose: say('debug'),
  }
}

/**
 * Creates the spans of a finished call: the wait for its slot, and the call itself. The URL is
 * recorded without its query, which can contain account data and the signature. No trace header is
 * sent to the exchange.
 */
function traceCalls(
  tracer: Tracer,
  { origins, templateOf }: Upstreams,
): (report: CallReport) => void {
  return ({ exchange, call, context, waitedMs, startedAtMs, durationMs, status, result }) => {
    if (context?.trace === undefined) return
    const slotMs = performance.timeOrigin + startedAtMs
    const wait = tracer.startSpan(
      `wait for ${exchange}`,
      { startTime: slotMs - waitedMs, attributes: { 'sluice.exchange': exchange } },
      context.trace,
    )
    wait.end(slotMs)

    const { protocol, hostname, port, origin } = new URL(origins[call.family])
    const template = templateOf(call)
    const span = tracer.startSpan(
      // A path may have a symbol or an order's id in it: names have few values.
      template === undefined ? call.method : `${call.method} ${template}`,
      {
        kind: SpanKind.CLIENT,
        startTime: slotMs,
        attributes: {
          'sluice.exchange': exchange,
          'sluice.family': call.family,
          'sluice.result': result,
          'http.request.method': call.method,
          'server.address': hostname,
          'server.port': Number(port || DEFAULT_PORTS[protocol]),
          'url.full': `${origin}${call.path}`,
          ...(status === undefined ? {} : { 'http.response.status_code': status }),
          ...(result === 'ok' ? {} : { 'error.type': result }),
        },
      },
      context.trace,
    )
    if (result !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(slotMs + durationMs)
  }
}

/**
 * Creates a span for each request in the catalogue except the operator's own. A proxied request
 * passes it on in its `RequestContext`.
 */
function traceRequests(app: FastifyInstance, tracer: Tracer): void {
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
          // Not the path as it was sent: a caller may put a secret where an id belongs.
          'url.path': endpoint.path,
          'url.scheme': request.protocol,
          'server.address': request.hostname || undefined,
          'server.port': request.port ?? undefined,
          'client.address': request.ip,
          'network.protocol.version': request.raw.httpVersion,
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
  if (errorCode !== null) span.setAttribute('sluice.error_code', errorCode)
  // Only a request to an exchange has timings.
  if (timings?.queueMs != null) span.setAttribute('sluice.queue_ms', timings.queueMs)
  if (timings?.shared === true) span.setAttribute('sluice.shared', true)
  // To a server, what its callers do wrong is no error.
  if (reply.statusCode >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', errorCode ?? `${reply.statusCode}`)
  }
  span.end()
}

const HEADER = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/
/** W3C Trace Context, 3.3.1.5: the length that a receiver has to propagate at least. */
const STATE_LENGTH_MAX = 512

/**
 * The caller's span as the parent (W3C Trace Context). There is no parent when the header is absent
 * or invalid.
 */
export function readTraceparent(header: unknown, state: unknown): Context {
  const [, traceId = '', spanId = '', flags = '0'] = HEADER.exec(String(header)) ?? []
  const spanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(typeof state === 'string' && state.length <= STATE_LENGTH_MAX
      ? { traceState: createTraceState(state) }
      : {}),
  }
  return isValid(traceId) && isValid(spanId)
    ? trace.setSpanContext(ROOT_CONTEXT, spanContext)
    : ROOT_CONTEXT
}

/** The header that names a span as the parent. */
function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

const isValid = (id: string) => /[^0]/.test(id)
