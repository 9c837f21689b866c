import type { Endpoint, ResponseOf } from 'schema'
import { ask } from './ask.ts'

/** Where a gateway is reached. */
export interface Reached {
  readonly gatewayUrl: string
  /**
   * Of a proxy in front of it that ends TLS: the certificate to trust, and its port on the loopback
   * address.
   */
  readonly proxy?: { readonly certificate: string; readonly port: number }
}

/** @throws with the gateway's own sentence when it rejects the call */
export async function callGateway<E extends Endpoint>(
  { gatewayUrl, proxy }: Reached,
  endpoint: E,
  { token, body }: { readonly token?: string; readonly body: unknown },
): Promise<ResponseOf<E>> {
  const { status, text } = await ask(gatewayUrl + endpoint.path, {
    method: endpoint.method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    proxy,
  })
  if (status >= 300) throw new Error(`${endpoint.summary}: ${status} ${text}`)
  return JSON.parse(text) as ResponseOf<E>
}
