import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { type Endpoint, type ResponseOf, urlOf } from 'schema'

/** Where a gateway is reached. */
export interface Reached {
  readonly gatewayUrl: string
  /**
   * Of a proxy in front of it that ends TLS: the certificate to trust, and its port on the loopback
   * address.
   */
  readonly proxy?: { readonly certificate: string; readonly port: number }
}

export interface CallInput {
  readonly params?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: unknown
  readonly token?: string
}

/** @throws with the gateway's own sentence when it rejects the call */
export async function callGateway<E extends Endpoint>(
  { gatewayUrl, proxy }: Reached,
  endpoint: E,
  { params = {}, query = {}, body, token }: CallInput = {},
): Promise<ResponseOf<E>> {
  const { status, text } = await ask(gatewayUrl + urlOf(endpoint, { params, query }), {
    method: endpoint.method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    proxy,
  })
  if (status >= 300) throw new Error(`${endpoint.summary}: ${status} ${text}`)
  // The responses of the gateway hold to the catalogue.
  return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<E>
}

interface Question {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly proxy?: Reached['proxy']
}

interface Received {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/**
 * One request. Through a proxy its name stays the one of the address, in TLS as well, wherever the
 * port is: its certificate is checked as a browser would.
 */
export async function ask(
  address: string,
  { method = 'GET', headers = {}, body, proxy }: Question = {},
): Promise<Received> {
  const { protocol, host, hostname } = new URL(address)
  const request = protocol === 'https:' ? httpsRequest : httpRequest
  const asked = request(address, {
    method,
    headers: { host, ...headers },
    ...(proxy === undefined
      ? {}
      : { hostname: '127.0.0.1', port: proxy.port, ca: proxy.certificate, servername: hostname }),
  })
  asked.end(body)
  const [response]: IncomingMessage[] = await once(asked, 'response')
  if (response === undefined) throw new Error(`${hostname} sent no response`)
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
}
