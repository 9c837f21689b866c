import { DiagLogLevel, diag } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { FastifyInstance } from 'fastify'
import type { CallReport } from '../upstream/call-report.ts'
import { VERSION } from '../version.ts'
import { traceCalls } from './trace-calls.ts'
import { traceRequests } from './trace-requests.ts'

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

export interface Tracing {
  readonly called: (report: CallReport) => void
  /**
   * Sends the remaining spans, for so long at most. It never throws: a collector must not keep the
   * gateway from stopping.
   */
  close(withinMs: number): Promise<void>
}

/**
 * Sends spans to an OTLP collector. This module and its imports are loaded only when a collector is
 * configured. The exporter itself reads certificates, compression and timeouts from the standard
 * variables.
 */
export function startTracing(app: FastifyInstance, config: TracingConfig): Tracing {
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
  const tracer = provider.getTracer('sluice', VERSION)
  traceRequests(app, tracer)
  return {
    called: traceCalls(tracer),
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
