import type { ExchangeKeys, SignedRequest, UpstreamCall } from './exchange.ts'
import { bodyTypeOf } from './exchange.ts'
import { targetOf } from './protocol/query-text.ts'
import { adapters } from './registry.ts'

/**
 * Makes the request that goes on the wire. To be called when the request's slot has come: a
 * signature is good for seconds. A call that is not signed never carries a key.
 * @param keys null is enough for a call that is not signed
 * @param timestampMs the exchange's time (`createExchangeClock`)
 * @throws TypeError when a signed call comes without keys
 */
export function signCall(
  call: UpstreamCall,
  keys: ExchangeKeys | null,
  timestampMs: number,
  from = adapters,
): SignedRequest {
  const adapter = from.of(call.family)
  if (call.signed) {
    if (keys === null) throw new TypeError(`${call.method} ${call.path} is signed and needs keys`)
    return adapter.sign(call, keys, timestampMs)
  }
  return {
    method: call.method,
    url: targetOf(call.path, call.query),
    headers: {
      ...(call.body === null ? {} : { 'Content-Type': bodyTypeOf(call) }),
      ...adapter.headersOf?.(call),
    },
    body: call.body,
  }
}
