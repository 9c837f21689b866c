import { once } from 'node:events'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** Listens until the test has finished. */
async function listen(
  respond: (request: IncomingMessage, body: Buffer) => Promise<Responded>,
): Promise<string> {
  const server = createServer((request, response) => {
    buffer(request)
      .then((body) => respond(request, body))
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      // What is behind it has ended the connection, or the gateway has.
      .catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Responded {
  readonly status: number
  readonly headers?: IncomingMessage['headers']
  readonly body?: string | Buffer
}

/** Somebody that the gateway posts to. `posts` gets each path, all headers and the body. */
export async function listener(posts: (post: Buffer) => void): Promise<string> {
  return listen(async ({ url, rawHeaders }, body) => {
    posts(Buffer.concat([Buffer.from(`${url}\n${rawHeaders.join('\n')}\n`), body]))
    return { status: 204 }
  })
}

/** The way to the paper exchange, which can begin to send back what it gets. */
export interface EchoingExchange {
  readonly url: string
  /** The status of the echo; undefined: the paper exchange responds. */
  echo: number | undefined
}

/** @param sent gets the headers of each request */
export async function echoingExchange(
  paperUrl: string,
  sent: (headers: string) => void,
): Promise<EchoingExchange> {
  const exchange: { url: string; echo: number | undefined } = { url: '', echo: undefined }
  exchange.url = await listen(async (request, body) => {
    const { url = '/' } = request
    sent(request.rawHeaders.join('\n'))
    if (exchange.echo === undefined || /\/(?:time|ping)$/.test(url))
      return pass(paperUrl, request, body)
    const { headers } = request
    const said = JSON.stringify({ url, headers, body: body.toString() })
    return {
      status: exchange.echo,
      headers: { 'content-type': 'application/json', 'x-echo': url, 'retry-after': '0' },
      body: JSON.stringify({
        ...{ code: '40009', retCode: 1, success: false, msg: said, message: said },
        data: { url, headers, said },
      }),
    }
  })
  return exchange
}

async function pass(
  origin: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Responded> {
  const { connection: _, ...rest } = headers
  const call = send(`${origin}${url}`, { method, headers: rest }).end(body)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  return {
    ...{ status: response.statusCode ?? 502, headers: response.headers },
    body: await buffer(response),
  }
}
