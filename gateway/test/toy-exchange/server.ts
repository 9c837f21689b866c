import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExchangeKeys } from '../../src/exchanges/exchange.ts'

type Row = Record<string, unknown> & { readonly tag: string; readonly pair: string }

/**
 * The toy's own server. It keeps orders, checks signatures, and can lose the response to an order.
 */
export async function startToyServer({ apiKey, apiSecret }: ExchangeKeys, nowMs: () => number) {
  const orders: Row[] = []
  let losesNext = false

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request
    const body = (await request.toArray()).join('')
    const { pathname, searchParams: query } = new URL(url, 'http://toy')
    const send = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (pathname === '/toy/time') return void send(200, { ok: true, result: { now: nowMs() } })
    if (pathname === '/toy/pairs')
      return query.get('pair') === 'TOY-USDT'
        ? void send(200, { ok: true, result: { step: '0.5' } })
        : void send(404, { ok: false, code: 'no-pair', message: 'No such pair' })

    const { 'toy-key': key, 'toy-time': time, 'toy-signature': signature } = request.headers
    const text = `${time} ${method} ${url} ${body}`
    const wanted = createHmac('sha256', apiSecret).update(text).digest('hex')
    if (key !== apiKey || signature !== wanted)
      return void send(401, { ok: false, code: 'no-key', message: 'Who are you?' })
    if (method === 'GET') {
      const tag = query.get('tag')
      const row = orders.find((order) => order.tag === tag)
      if (tag === null) return void send(200, { ok: true, result: orders })
      if (row !== undefined) return void send(200, { ok: true, result: row })
      return void send(404, { ok: false, code: 'no-order', message: 'No such order' })
    }
    const order = { ...JSON.parse(body), id: orders.length + 1, state: 'resting', at: nowMs() }
    if (orders.some(({ tag }) => tag === order.tag))
      return void send(409, { ok: false, code: 'same-tag', message: 'Used before' })
    orders.push(order)
    if (losesNext) {
      losesNext = false
      response.destroy()
      return
    }
    send(200, { ok: true, result: { id: `${order.id}`, tag: order.tag } })
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port, not on a pipe.
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    loseNextResponse() {
      losesNext = true
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
