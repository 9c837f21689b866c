import { createHmac } from 'node:crypto'
import type { ExchangeKeys, SignedRequest, UpstreamCall } from '../exchange.ts'
import { percentEncode, queryText, sortedByName, targetOf } from '../query-text.ts'

/**
 * Signs a Bitget v2 or v3 call: time, method, path, query and body. Bitget verifies over the
 * decoded query, so the raw text is signed while the URL carries the encoded one (ccxt issue 28888,
 * Bitget.Net issue 48).
 * @param timestampMs the exchange's time, not ours; it may be 30 s off
 */
export function signBitget(
  call: UpstreamCall,
  keys: ExchangeKeys,
  timestampMs: number,
): SignedRequest {
  const query = sortedByName(call.query)
  const signed = targetOf(call.path, queryText(query, String))
  // A POST without parameters is sent and signed as an empty object.
  const body = call.method === 'POST' ? (call.body ?? '{}') : call.body
  const signature = createHmac('sha256', keys.apiSecret)
    .update(`${timestampMs}${call.method}${signed}${body ?? ''}`)
    .digest('base64')
  return {
    method: call.method,
    url: bitgetTarget(call),
    headers: {
      'ACCESS-KEY': keys.apiKey,
      'ACCESS-SIGN': signature,
      'ACCESS-TIMESTAMP': `${timestampMs}`,
      'ACCESS-PASSPHRASE': keys.passphrase ?? '',
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...(call.demo === true ? { paptrading: '1' } : {}),
    },
    body,
  }
}

/**
 * The request target: sorted as it is signed, percent-encoded but for `$`, which some symbols begin
 * with.
 */
export function bitgetTarget({ path, query }: Pick<UpstreamCall, 'path' | 'query'>): string {
  return targetOf(
    path,
    queryText(sortedByName(query), (text) => percentEncode(text).replaceAll('%24', '$')),
  )
}
