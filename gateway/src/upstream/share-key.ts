import type { UpstreamCall } from '../exchanges/exchange.ts'

/**
 * Equal for queued calls that can share one response: the same call, and for a signed call the same
 * client.
 * @param raw a response that was judged without keeping digits cannot serve a caller that reads
 * them
 */
export function shareKeyOf(call: UpstreamCall, clientRef: number, raw: boolean): string {
  const { method, path, query, body, demo, locale, signed } = call
  return JSON.stringify([method, path, query, body, demo, locale, signed ? clientRef : null, raw])
}
