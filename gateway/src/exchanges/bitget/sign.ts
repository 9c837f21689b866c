import { createHmac } from 'node:crypto'
import type { ExchangeKeys, SignedRequest, UpstreamCall } from '../exchange.ts'
import { bodyTypeOf } from '../exchange.ts'
import { decodeText, percentEncode, sortedByName, targetOf } from '../protocol/query-text.ts'

/**
 * Signs a Bitget v2 or v3 call: time, method, path, query and body. Bitget verifies over the
 * decoded query, so the raw text is signed while the URL carries the encoded one (ccxt issue 28888,
 * Bitget.Net issue 48). What is sent is in the order that is signed, by name (ccxt pull request
 * 29094).
 * @param timestampMs the exchange's time, not ours; it may be 30 s off
 */
export function signBitget(
  call: UpstreamCall,
  keys: ExchangeKeys,
  timestampMs: number,
): SignedRequest {
  const query = sortedByName(call.query)
  const signed = targetOf(call.path, query.split('&').map(decodeText).join('&'))
  // A POST without parameters is sent and signed as an empty object.
  const body = call.method === 'POST' ? (call.body ?? '{}') : call.body
  const signature = createHmac('sha256', keys.apiSecret)
    .update(`${timestampMs}${call.method}${signed}${body ?? ''}`)
    .digest('base64')
  return {
    method: call.method,
    url: targetOf(call.path, query),
    headers: {
      'ACCESS-KEY': keys.apiKey,
      'ACCESS-SIGN': signature,
      'ACCESS-TIMESTAMP': `${timestampMs}`,
      'ACCESS-PASSPHRASE': keys.passphrase ?? '',
      ...(body === null ? {} : { 'Content-Type': bodyTypeOf(call) }),
      ...bitgetHeaders(call),
    },
    body,
  }
}

/** What changes the meaning of a call without being part of its signature. */
export function bitgetHeaders({ demo, locale }: UpstreamCall): Record<string, string> {
  return {
    ...(demo === true ? { paptrading: '1' } : {}),
    ...(locale === undefined ? {} : { locale }),
  }
}

/** Percent-encodes all but `$`, with which some symbols begin (docs/exchanges/bitget.md, 2). */
export function encodeForBitget(text: string): string {
  return percentEncode(text).replaceAll('%24', '$')
}
