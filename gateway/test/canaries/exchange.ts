import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { FaultKind } from '../../paper-exchange/src/faults.ts'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { eventually } from '../support/eventually.ts'
import { httpServer } from '../support/http-server.ts'
import type { Bot, Headers } from './callers.ts'
import type { Product } from './product.ts'

function listen(
  respond: (request: IncomingMessage, body: Buffer) => Promise<Responded>,
): Promise<string> {
  return httpServer((request, response) => {
    buffer(request)
      .then((body) => respond(request, body))
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      // What is behind it has ended the connection, or the gateway has.
      .catch(() => request.socket.destroy())
  })
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

/**
 * @param sent gets the headers of each request
 * @param made gets each listen key that the exchange makes
 */
export async function echoingExchange(
  paperUrl: string,
  sent: (headers: string) => void,
  made: (listenKey: string) => void,
): Promise<EchoingExchange> {
  const exchange: { url: string; echo: number | undefined } = { url: '', echo: undefined }
  exchange.url = await listen(async (request, body) => {
    const { url = '/' } = request
    sent(request.rawHeaders.join('\n'))
    if (exchange.echo === undefined || /\/(?:time|ping)$/.test(url))
      return pass(paperUrl, request, body).then((responded) => {
        const [, listenKey] = /"listenKey":"([^"]+)"/.exec(`${responded.body}`) ?? []
        if (listenKey !== undefined && request.method === 'POST') made(listenKey)
        return responded
      })
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

const LIMIT = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '1', size: '10' },
}
const FUTURES = { symbol: 'BTC_USDT', vol: 1, price: 50_000, side: 1, type: 1, openType: 2 }

/** A read and an order of each family, by the documented routes and on the exchange's own paths. */
const CALLS: readonly (readonly [method: 'GET' | 'POST', url: string, body?: object])[] = [
  ['GET', '/api/mx/v1/getAccountInfo'],
  ['GET', '/api/bg/v1/getAccountInfo'],
  ['GET', '/mx/api/v3/account'],
  ['GET', '/mx/api/v1/private/account/assets'],
  ['GET', '/bg/api/v2/spot/account/info'],
  [
    'POST',
    '/api/mx/v1/submitOrder',
    { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
  ],
  ['POST', '/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=50000'],
  ['POST', '/api/v1/private/order/submit', FUTURES],
  ['POST', '/bg/api/v2/spot/trade/place-order', LIMIT],
  ['POST', '/api/bg/v1/spot/trade/place-order', LIMIT],
]

async function callAll(
  product: Product,
  asAdmin: Headers,
  { clientId, headers }: Bot,
): Promise<void> {
  const trades = CALLS.map(([method, url, body]) =>
    product.fetch(method, url, {
      headers: {
        ...headers,
        ...{ prefer: 'wait=1', 'content-type': 'application/json' },
        // Otherwise an order whose outcome is unknown is not repeated.
        'idempotency-key': randomUUID(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  const tests = (['mx', 'bg'] as const).map((exchange) =>
    product.call('testApiKey', { headers: asAdmin, body: { clientId, exchange } }),
  )
  await Promise.all([...trades, ...tests])
}

/** An exchange that sends back the keys that it gets, with every status. */
export async function useEcho(
  product: Product,
  exchange: EchoingExchange,
  asAdmin: Headers,
  bots: readonly Bot[],
): Promise<void> {
  for (const status of [200, 400, 403, 429, 500]) {
    exchange.echo = status
    for (const bot of bots) await callAll(product, asAdmin, bot)
  }
  exchange.echo = undefined
}

const FAULTS: readonly FaultKind[] = [
  ...(['5xx', 'html', 'truncated', 'garbage', 'empty', '429', '418', '510'] as const),
  ...(['reset-before', 'reset-after', 'timeout-before', 'timeout-after'] as const),
]

interface Match {
  readonly account: string
  readonly method: string
}

/** Resolves when each of these calls has met its fault. */
const allMet = (paper: PaperExchange, matches: readonly Match[]) =>
  eventually(() => {
    const met = paper.received().filter(({ fault }) => fault !== undefined)
    const isMet = ({ account, method }: Match) =>
      met.some((call) => call.account === account && call.method === method)
    expect(matches.filter((match) => !isMet(match))).toEqual([])
  })

/**
 * An exchange that fails in every way: each bot meets another fault at each exchange, for reads and
 * for what changes something.
 */
export async function useFaults(
  product: Product,
  paper: PaperExchange,
  asAdmin: Headers,
  bots: readonly Bot[],
): Promise<void> {
  const matches = bots.flatMap(({ clientId }) =>
    (['mx', 'bg'] as const).flatMap((exchange) =>
      ['GET', 'POST'].map((method) => ({ exchange, method, account: `${clientId}-${exchange}` })),
    ),
  )
  for (let used = 0; used < FAULTS.length; used += matches.length) {
    for (const [index, match] of matches.entries())
      paper.faults.add({ kind: FAULTS[(used + index) % FAULTS.length] ?? '5xx', match, times: 0 })
    paper.clearReceived()
    const called = Promise.all(bots.map((bot) => callAll(product, asAdmin, bot)))
    await Promise.race([called, allMet(paper, matches)])
    // Otherwise look-ups of an order that gets no response go on for as long as a caller waits.
    paper.faults.clear()
    await called
  }
}
