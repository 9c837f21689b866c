import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface PassingRequest {
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Alteration = (request: PassingRequest) => Partial<PassingRequest>

/** A proxy between an SDK and the exchange that changes what passes; closed with the test. */
export async function alteringProxy(origin: string, alter: Alteration): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const {
      host: _host,
      connection: _connection,
      'content-length': _length,
      ...rest
    } = request.headers
    const headers = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name, `${value}`]),
    )
    const passing = { target: request.url ?? '/', headers, body: Buffer.concat(chunks).toString() }
    const altered = { ...passing, ...alter(passing) }
    const upstream = await fetch(`${origin}${altered.target}`, {
      method: request.method ?? 'GET',
      headers: altered.headers,
      ...(altered.body === '' ? {} : { body: altered.body }),
    })
    response
      .writeHead(upstream.status, { 'content-type': 'application/json' })
      .end(await upstream.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
