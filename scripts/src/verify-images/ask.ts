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

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/**
 * One request. Through a proxy its name stays the one of the address, in TLS as well, wherever the port is: its certificate
 * is checked as a browser would.
 */
export async function ask(
  address: string,
  { method = 'GET', headers = {}, body, proxy }: Question = {},
): Promise<Answered> {
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
  const [answer]: IncomingMessage[] = await once(asked, 'response')
  if (answer === undefined) throw new Error(`${hostname} sent no answer`)
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) }
}
