import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Reached } from './call-gateway.ts'

export interface Question {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly proxy?: Reached['proxy']
}

export interface Received {
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
