import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
} from '@opentelemetry/api'

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
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

const isValid = (id: string) => /[^0]/.test(id)
