import { bitgetHeaders, signBitget } from './bitget/sign.ts'
import type { ExchangeKeys, SignedRequest, UpstreamCall } from './exchange.ts'
import { signMexcFutures } from './mexc/sign-futures.ts'
import { signMexcSpot } from './mexc/sign-spot.ts'
import { bodyTypeOf } from './protocol/body-type.ts'
import { targetOf } from './protocol/query-text.ts'

export interface SignOptions {
  /** MEXC spot only: `recvWindow`, at most 60000. */
  readonly recvWindowMs?: number
}

/**
 * Makes the request that goes on the wire. To be called when the request's slot has come: a
 * signature is good for seconds. A call that is not signed carries no key, whoever asks.
 * @param keys null is enough for a call that is not signed
 * @param timestampMs the exchange's time (`createExchangeClock`)
 * @throws TypeError when a signed call comes without keys
 */
export function signCall(
  call: UpstreamCall,
  keys: ExchangeKeys | null,
  timestampMs: number,
  options: SignOptions = {},
): SignedRequest {
  if (!call.signed) return unsigned(call)
  if (keys === null) throw new TypeError(`${call.method} ${call.path} is signed and needs keys`)
  switch (call.family) {
    case 'mexc-spot':
      return signMexcSpot(call, keys, timestampMs, options.recvWindowMs)
    case 'mexc-futures':
      return signMexcFutures(call, keys, timestampMs)
    case 'bitget':
      return signBitget(call, keys, timestampMs)
  }
}

function unsigned(call: UpstreamCall): SignedRequest {
  return {
    method: call.method,
    url: targetOf(call.path, call.query),
    headers: {
      ...(call.body === null ? {} : { 'Content-Type': bodyTypeOf(call) }),
      ...bitgetHeaders(call),
    },
    body: call.body,
  }
}
