import { createHmac } from 'node:crypto'
import type { ExchangeKeys, SignedRequest, UpstreamCall } from '../exchange.ts'
import { bodyTypeOf } from '../exchange.ts'
import { sortedByName, targetOf } from '../protocol/query-text.ts'

/**
 * Signs a MEXC futures call: key, time, then the body of a POST or the name-sorted query of
 * everything else.
 *
 * Which form of a value that needs percent-encoding is signed is disputed: the documentation and
 * three libraries sign the encoded one, MEXC's samples of 2026 the raw one. The encoded one is
 * signed here, as it is sent; the calls that the gateway builds avoid such values. A query in
 * another order is sent sorted too: an unsorted one is rejected (602). `Recv-Window` is left out
 * because its unit is not established (docs/exchanges/mexc.md, 2.2).
 * @param timestampMs the exchange's time, not ours; it may be 10 s off
 */
export function signMexcFutures(
  call: UpstreamCall,
  keys: ExchangeKeys,
  timestampMs: number,
): SignedRequest {
  const query = sortedByName(call.query)
  // A POST without parameters is sent and signed as an empty object.
  const body = call.method === 'POST' ? (call.body ?? '{}') : call.body
  const signature = createHmac('sha256', keys.apiSecret)
    .update(`${keys.apiKey}${timestampMs}${call.method === 'POST' ? body : query}`)
    .digest('hex')
  return {
    method: call.method,
    url: targetOf(call.path, query),
    headers: {
      ApiKey: keys.apiKey,
      'Request-Time': `${timestampMs}`,
      Signature: signature,
      'Content-Type': bodyTypeOf(call),
    },
    body,
  }
}
