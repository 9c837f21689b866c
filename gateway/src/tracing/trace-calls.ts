import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { CallReport } from '../upstream/call-report.ts'

/**
 * Creates the spans of a finished call: the wait for its slot, and the call itself. The path is
 * recorded without its query, which can contain account data. No trace header is sent to the
 * exchange.
 */
export function traceCalls(tracer: Tracer): (report: CallReport) => void {
  return ({ exchange, call, context, waitedMs, startedAtMs, durationMs, status, result }) => {
    if (context?.trace === undefined) return
    const slotMs = performance.timeOrigin + startedAtMs
    const wait = tracer.startSpan(
      `wait for ${exchange}`,
      { startTime: slotMs - waitedMs, attributes: { 'sluice.exchange': exchange } },
      context.trace,
    )
    wait.end(slotMs)

    const span = tracer.startSpan(
      `${call.method} ${call.path}`,
      {
        kind: SpanKind.CLIENT,
        startTime: slotMs,
        attributes: {
          'sluice.exchange': exchange,
          'sluice.family': call.family,
          'sluice.result': result,
          'http.request.method': call.method,
          'url.path': call.path,
          ...(status === undefined ? {} : { 'http.response.status_code': status }),
        },
      },
      context.trace,
    )
    if (result !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR, message: result })
    span.end(slotMs + durationMs)
  }
}
