import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import type { SignedRequest } from '../exchanges/exchange.ts'
import {
  ExchangeConnectionLostError,
  ExchangeRequestInvalidError,
  ExchangeResponseTooLargeError,
  ExchangeTimeoutError,
  ExchangeUnreachableError,
} from '../exchanges/protocol/errors.ts'
import { createTransport, type TransportOptions } from './transport.ts'

const get: SignedRequest = { method: 'GET', url: '/x?a=1', headers: { 'X-Key': 'k' }, body: null }
const post: SignedRequest = { ...get, method: 'POST', body: '{"id":101716841474621953,"n":"龙虾"}' }

const optionsTo = (origin: string): TransportOptions => ({
  origins: { 'mexc-spot': origin, 'mexc-futures': origin, bitget: origin },
  ...{ timeoutMs: 60_000, maxResponseBytes: 1_000 },
})

function transportTo(origin: string, options: Partial<TransportOptions> = {}) {
  const transport = createTransport({ ...optionsTo(origin), ...options })
  onTestFinished(() => transport.close())
  return transport
}

async function originOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function exchange(listener: RequestListener) {
  const sockets = new Set<Socket>()
  const server = createServer(listener).on('connection', (socket) => sockets.add(socket))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: await originOf(server), sockets, server }
}

/** The origin of an exchange that refuses connections. */
async function closedExchange(): Promise<string> {
  const { origin, server } = await exchange(() => {})
  await new Promise((resolve) => server.close(resolve))
  return origin
}

async function rawExchange(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy())
    onTestFinished(() => void socket.destroy())
    onConnection(socket)
  })
  onTestFinished(() => void server.close())
  return originOf(server)
}

async function textOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString()
}

/** The error of a promise that has to fail, and whether the hook for sent requests was called. */
async function failureOf(send: (hooks: { onSent: () => void }) => Promise<unknown>) {
  const onSent = vi.fn()
  const error: unknown = await send({ onSent }).then(
    () => new Error('It got a response'),
    (reason: unknown) => reason,
  )
  return { error, wasSent: onSent.mock.calls.length === 1 }
}

test('bytes and headers reach the exchange as they are, and its response comes back as it is', async () => {
  const seen = Promise.withResolvers<{ url?: string; key: unknown; body: string }>()
  const { origin } = await exchange(async (request, response) => {
    const { url = '', headers } = request
    seen.resolve({ url, key: headers['x-key'], body: await textOf(request) })
    const rest = { 'x-rest': '7', 'retry-after': '3' }
    response.writeHead(400, rest).end('{"orderId":101716841474621953}')
  })
  const response = await transportTo(origin).send('mexc-futures', post)
  expect(await seen.promise).toEqual({ url: '/x?a=1', key: 'k', body: post.body })
  expect(response).toMatchObject({ status: 400, headers: { 'x-rest': '7', 'retry-after': '3' } })
  expect(response.body.toString()).toBe('{"orderId":101716841474621953}')
  expect(Number.isInteger(response.upstreamMs)).toBe(true)
})

test('a redirect is a response and is not followed', async () => {
  let asked = 0
  const { origin } = await exchange((_request, response) => {
    asked += 1
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  expect((await transportTo(origin).send('bitget', post)).status).toBe(307)
  expect(asked).toBe(1)
})

test('the hook is called once, when the request is out and before its response', async () => {
  const order: string[] = []
  const { origin } = await exchange((_request, response) => {
    order.push('arrived')
    response.end('{}')
  })
  const transport = transportTo(origin)
  const onSent = () => order.push('sent')
  const onResponse = () => order.push('response')
  await transport.send('mexc-spot', get, { onSent, onResponse })
  order.push('responded')
  expect(order).toEqual(['sent', 'arrived', 'response', 'responded'])
})

test('an exchange that refuses connections is unreachable and got nothing', async () => {
  const transport = transportTo(await closedExchange())
  const { error, wasSent } = await failureOf((hooks) => transport.send('bitget', post, hooks))
  expect(error).toBeInstanceOf(ExchangeUnreachableError)
  expect(error).toMatchObject({ code: 'EXCHANGE_UNREACHABLE', statusCode: 503, sent: false })
  expect((error as Error).cause).toMatchObject({ code: 'ECONNREFUSED' })
  expect(wasSent).toBe(false)
  // Opening ahead rejects as well.
  await expect(transport.warm('bitget')).rejects.toMatchObject({ code: 'EXCHANGE_UNREACHABLE' })
})

test('a name that does not exist is unreachable', async () => {
  const transport = transportTo('http://no-such-host.invalid')
  const { error } = await failureOf((hooks) => transport.send('mexc-spot', get, hooks))
  expect(error).toMatchObject({ code: 'EXCHANGE_UNREACHABLE', sent: false })
})

test('a connection that does not come about in time is unreachable and nothing is sent later', async () => {
  // A TLS handshake that never completes, like a connection that hangs.
  let bytes = ''
  const origin = await rawExchange((socket) => socket.on('data', (chunk) => (bytes += chunk)))
  const transport = transportTo(origin.replace('http:', 'https:'), { timeoutMs: 60 })
  const { error, wasSent } = await failureOf((hooks) => transport.send('bitget', post, hooks))
  expect(error).toMatchObject({ code: 'EXCHANGE_UNREACHABLE', sent: false })
  expect(wasSent).toBe(false)
  expect(bytes).not.toContain('/x?a=1')
})

test('an exchange that never responds is a timeout after the request was sent', async () => {
  const time = createSetTime()
  const { origin } = await exchange(() => void time.advance(60_000))
  const transport = transportTo(origin, { time })
  const { error, wasSent } = await failureOf((hooks) => transport.send('mexc-spot', post, hooks))
  expect(error).toBeInstanceOf(ExchangeTimeoutError)
  expect(error).toMatchObject({ code: 'EXCHANGE_TIMEOUT', statusCode: 504, sent: true })
  expect(wasSent).toBe(true)
})

test('a body that trickles forever is cut by the time for the whole attempt', async () => {
  const time = createSetTime()
  const { origin } = await exchange((_request, response) => {
    const timer = setInterval(() => {
      response.write(' ')
      void time.advance(10_000)
    }, 10)
    response.on('close', () => clearInterval(timer))
  })
  const transport = transportTo(origin, { time })
  const { error } = await failureOf((hooks) => transport.send('mexc-spot', get, hooks))
  expect(error).toMatchObject({ code: 'EXCHANGE_TIMEOUT', sent: true })
})

test.each<[what: string, fault: (request: IncomingMessage, response: ServerResponse) => void]>([
  ['before a response', (request) => request.socket.resetAndDestroy()],
  ['by an orderly close', (request) => request.socket.end()],
  [
    'in the middle of a body',
    (request, response) => {
      response.writeHead(200, { 'content-length': '50' }).write('{"orderId":', () => {
        request.socket.destroy()
      })
    },
  ],
])(
  'a connection that breaks %s is reported as lost after sending, and the request is not repeated',
  async (_what, fault) => {
    let asked = 0
    const { origin } = await exchange((request, response) => {
      asked += 1
      fault(request, response)
    })
    const transport = transportTo(origin)
    const { error, wasSent } = await failureOf((hooks) => transport.send('bitget', get, hooks))
    expect(error).toBeInstanceOf(ExchangeConnectionLostError)
    expect(error).toMatchObject({ code: 'EXCHANGE_CONNECTION_LOST', statusCode: 504, sent: true })
    expect(wasSent).toBe(true)
    await setImmediate()
    expect(asked).toBe(1)
  },
)

test('a response that is not HTTP is a lost connection', async () => {
  const origin = await rawExchange((socket) => {
    socket.once('data', () => socket.end('<html>busy</html>'))
  })
  const { error } = await failureOf((hooks) => transportTo(origin).send('mexc-spot', get, hooks))
  expect(error).toMatchObject({ code: 'EXCHANGE_CONNECTION_LOST', sent: true })
})

test.each([
  ['announced', { 'content-length': '1001' }],
  ['streamed', {}],
])('a response over the limit is cut off when its length is %s', async (_how, headers) => {
  let length = 1_000
  const { origin } = await exchange((_request, response) => {
    response.writeHead(200, length === 1_001 ? headers : {}).end('x'.repeat(length))
  })
  const transport = transportTo(origin)
  expect((await transport.send('mexc-spot', get)).body).toHaveLength(1_000)
  length = 1_001
  const { error } = await failureOf((hooks) => transport.send('mexc-spot', get, hooks))
  expect(error).toBeInstanceOf(ExchangeResponseTooLargeError)
  expect(error).toMatchObject({ code: 'EXCHANGE_ANSWER_TOO_LARGE', statusCode: 502, sent: true })
})

test('a key that cannot be an HTTP header is an error that does not show it', async () => {
  const { origin } = await exchange((_request, response) => response.end())
  const broken = { ...get, headers: { 'X-Key': 'line\nbreak' } }
  const { error } = await failureOf((hooks) => transportTo(origin).send('bitget', broken, hooks))
  expect(error).toBeInstanceOf(ExchangeRequestInvalidError)
  expect(error).toMatchObject({ statusCode: 422, sent: false })
  expect(`${error} ${(error as Error).cause}`).not.toContain('break')
})

test('one request after another uses one connection', async () => {
  const { origin, sockets } = await exchange((_request, response) => response.end('{}'))
  const transport = transportTo(origin)
  for (let count = 0; count < 5; count += 1) {
    await transport.send('mexc-spot', get)
    // A connection is free again one turn of the loop after its response.
    await setImmediate()
  }
  expect(sockets.size).toBe(1)
})

test('connections opened ahead are the ones that requests use, and no more are opened than needed', async () => {
  const { origin, sockets } = await exchange((_request, response) => response.end('{}'))
  const transport = transportTo(origin)
  await transport.warm('mexc-spot')
  await expect.poll(() => sockets.size).toBe(2)
  await transport.warm('mexc-futures')
  await Promise.all([transport.send('mexc-spot', get), transport.send('mexc-futures', post)])
  await transport.warm('mexc-spot')
  expect(sockets.size).toBe(2)
})

// Their handshake may hang, and the time of an order is signed already.
test('a request does not wait for connections that are being opened in advance', async () => {
  const { origin, sockets } = await exchange((_request, response) => response.end('{}'))
  const transport = transportTo(origin)
  const warm = transport.warm('mexc-spot')
  await Promise.all([transport.send('mexc-spot', post), transport.send('mexc-futures', get), warm])
  await expect.poll(() => sockets.size).toBe(4)
})

test('a connection that the exchange closes while it is idle is not used', async () => {
  const { origin, sockets } = await exchange((_request, response) => response.end('{}'))
  const transport = transportTo(origin)
  await transport.warm('bitget')
  await expect.poll(() => sockets.size).toBe(2)
  const closed = [...sockets].map((socket) => {
    const gone = new Promise((resolve) => socket.once('close', resolve))
    socket.end()
    return gone
  })
  await Promise.all(closed)
  expect((await transport.send('bitget', post)).status).toBe(200)
  expect(sockets.size).toBe(3)
})

test('a connection that has been idle for a while carries nothing more', async () => {
  const { origin, sockets } = await exchange((_request, response) => response.end('{}'))
  const transport = transportTo(origin, { idleMs: 20 })
  await transport.send('bitget', get)
  const [socket] = sockets
  await new Promise((resolve) => socket?.once('close', resolve))
  await transport.warm('bitget')
  expect((await transport.send('bitget', post)).status).toBe(200)
  expect(sockets.size).toBeGreaterThan(1)
})

// The read was 504 after up to 180 s in the queue.
test.each([
  ['a read on a kept connection may be sent again', get, 1, '', true],
  ['an order may not', post, 1, '', false],
  ['a read on a new connection may not', get, 0, '', false],
  ['a read whose response had begun may not', get, 1, 'HTTP/1.1 2', false],
] as const)(
  'a connection that is closed as a request is written: %s',
  async (_what, request, before, begun, isUnheard) => {
    const origin = await rawExchange((socket) => {
      let asked = 0
      socket.on('data', () => {
        asked += 1
        if (asked <= before) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
        else socket.end(begun)
      })
    })
    const transport = transportTo(origin)
    for (let count = 0; count < before; count += 1) {
      await transport.send('bitget', get)
      await setImmediate()
    }
    const { error } = await failureOf((hooks) => transport.send('bitget', request, hooks))
    expect(error).toMatchObject({ code: 'EXCHANGE_CONNECTION_LOST', sent: true, isUnheard })
  },
)

test('closing waits for the response that is under way', async () => {
  const arrived = Promise.withResolvers<ServerResponse>()
  const { origin } = await exchange((_request, response) => arrived.resolve(response))
  const transport = createTransport(optionsTo(origin))
  const sent = transport.send('bitget', get)
  const response = await arrived.promise
  const closed = transport.close()
  response.end('late')
  expect((await sent).body.toString()).toBe('late')
  await closed
})
