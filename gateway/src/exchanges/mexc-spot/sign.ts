import { createHmac } from 'node:crypto'
import type { ExchangeKeys, SignedRequest, UpstreamCall } from '../exchange.ts'
import { bodyTypeOf } from '../exchange.ts'
import { joinQueries, queryText, targetOf } from '../protocol/query-text.ts'

/**
 * Signs a MEXC spot v3 call. The text signed is the query as it is sent, followed directly by the
 * body if there is one; order is the caller's (MEXC spot v3 documentation, "Signed"; known answers
 * in the signing vectors).
 * @param timestampMs the exchange's time, not ours
 * @param recvWindowMs how old the exchange may find the request, at most 60000; left out when
 * undefined (it takes 5000)
 */
export function signMexcSpot(
  call: UpstreamCall,
  keys: ExchangeKeys,
  timestampMs: number,
  recvWindowMs?: number,
): SignedRequest {
  const own = queryText([
    ...(call.keyParameter === undefined ? [] : [[call.keyParameter, keys.apiKey] as const]),
    ['timestamp', `${timestampMs}`],
    ...(recvWindowMs === undefined ? [] : [['recvWindow', `${recvWindowMs}`] as const]),
  ])
  const query = joinQueries(call.query, own)
  const signature = createHmac('sha256', keys.apiSecret)
    .update(query + (call.body ?? ''))
    .digest('hex')
  return {
    method: call.method,
    url: targetOf(call.path, `${query}&signature=${signature}`),
    headers: { 'X-MEXC-APIKEY': keys.apiKey, 'Content-Type': bodyTypeOf(call) },
    body: call.body,
  }
}
