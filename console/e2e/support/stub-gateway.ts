import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Page, Request } from '@playwright/test'
import {
  type Endpoint,
  getAccount,
  getClientHeartbeat,
  getClientLimits,
  getClientStop,
  getLogHistogram,
  getOperations,
  getOperationsHistory,
  getOrderSums,
  getStats,
  listAccountStreams,
  listApiKeys,
  listApprovals,
  listAudit,
  listClientSecrets,
  listClientStreams,
  listClients,
  listLogs,
  listOrders,
  listOwnSessions,
  listPeople,
  listQueue,
  login,
  previewClientStop,
  previewExchangeStop,
  previewStopOfEverything,
} from 'schema'
import { samples } from './samples.ts'

/**
 * Another origin than the console's, as deployed. The browser finds the stub there. A stub that
 * took the page's requests before they leave the browser would switch off the browser's cache.
 */
export const GATEWAY_URL = 'http://gateway.test'

/** Responded to at once and never counted: once around the network and back. */
const ECHO_PATH = '/echo'

/** What a stubbed endpoint responds with. */
export interface StubResponse {
  readonly status?: number
  /** Sent as JSON, a string as it is; absent: empty. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** In place of a body: sent piece by piece, as long as more comes. */
  readonly pieces?: AsyncIterable<string>
}
/** A response, a function of the call, or `'offline'` for a failing network. */
type Stub = StubResponse | 'offline' | ((call: Call) => Promise<StubResponse> | StubResponse)

/** A call as the stub has got it. */
export type Call = Pick<
  Request,
  'method' | 'url' | 'headers' | 'headerValue' | 'postData' | 'postDataJSON'
>

export interface Gateway {
  /** Replaces the response of an endpoint from now on. */
  readonly respond: (endpoint: Endpoint, stub: Stub) => void
  /** Holds every further call of an endpoint; the function that comes back lets them go. */
  readonly hold: (endpoint: Endpoint) => () => void
  /** The calls that an endpoint has got so far, preflights left out. */
  readonly calls: (endpoint: Endpoint) => readonly Call[]
  /** Every call so far, without those of the header's strip, which every page makes. */
  readonly all: () => readonly Call[]
}

export interface StubServer {
  readonly port: number
  /** Responds from now on to the calls of a page, with the samples of the catalogue at first. */
  readonly serve: (page: Page) => Gateway
  readonly close: () => Promise<void>
}

type Handler = (call: Call, closed: AbortSignal) => Promise<StubResponse | 'offline'>

/** One server for all tests of a worker, which runs one test at a time. */
export async function startStub(): Promise<StubServer> {
  let handle: Handler = async () => ({ status: 204 })
  const server = createServer(async (request, response) => {
    if (request.method === 'OPTIONS' || request.url === ECHO_PATH) {
      response.writeHead(204, cors(request)).end()
      return
    }
    const closed = new AbortController()
    response.on('close', () => closed.abort())
    const respond = handle
    // A page that leaves while it sends has not called.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    send(request, response, await respond(callOf(request, body), closed.signal))
  })
  // Longer than a worker runs: the browser would send again what meets a connection that closes.
  server.keepAliveTimeout = 3_600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    serve(page) {
      // What the last test's page has sent and nobody has read belongs to no test.
      server.closeAllConnections()
      const [gateway, next] = stubOf(page)
      handle = next
      return gateway
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      }),
  }
}

function stubOf(page: Page): readonly [Gateway, Handler] {
  const stubs = new Map<Endpoint, Stub>([
    [login, { body: samples.login }],
    [listClients, { body: samples.clients }],
    [listApiKeys, { body: samples.apiKeys }],
    [getClientLimits, { body: getClientLimits.sample.response }],
    [getClientStop, { body: null }],
    [previewClientStop, { body: previewClientStop.sample.response }],
    [previewExchangeStop, { body: previewExchangeStop.sample.response }],
    [previewStopOfEverything, { body: previewStopOfEverything.sample.response }],
    [getClientHeartbeat, { body: { ttlSeconds: 0, expiresAt: null } }],
    [listClientSecrets, { body: listClientSecrets.sample.response }],
    [getAccount, { body: getAccount.sample.response }],
    [listOwnSessions, { body: listOwnSessions.sample.response }],
    [listAccountStreams, { body: listAccountStreams.sample.response }],
    [listClientStreams, { body: listClientStreams.sample.response }],
    [listPeople, { body: listPeople.sample.response }],
    [listApprovals, { body: listApprovals.sample.response }],
    [listAudit, { body: listAudit.sample.response }],
    [getOperations, { body: getOperations.sample.response }],
    [getOperationsHistory, { body: getOperationsHistory.sample.response }],
    [listQueue, { body: [] }],
    [listOrders, { body: [] }],
    [getOrderSums, { body: getOrderSums.sample.response }],
    [getStats, { body: getStats.sample.response }],
    [listLogs, { body: listLogs.sample.response }],
    [getLogHistogram, { body: getLogHistogram.sample.response }],
  ])
  const seen: Call[] = []
  const held = new Map<Endpoint, Promise<void>>()
  /** Calls that the stub has got and not responded to. */
  const pending = new Set<Call>()
  let change = Promise.withResolvers<void>()
  const changed = () => {
    change.resolve()
    change = Promise.withResolvers()
  }
  const traffic = watchTraffic(page, changed)

  const handle: Handler = async (call, closed) => {
    seen.push(call)
    pending.add(call)
    changed()
    const ended = () => {
      pending.delete(call)
      changed()
    }
    closed.addEventListener('abort', ended)
    const endpoint = [...stubs.keys(), ...held.keys()].find((known) => matches(known, call))
    if (endpoint !== undefined) await held.get(endpoint)
    const stub = (endpoint && stubs.get(endpoint)) ?? { status: 204 }
    const response = typeof stub === 'function' ? await stub(call) : stub
    // A stream is under way until its connection has ended.
    if (response === 'offline' || response.pieces === undefined) ended()
    return response
  }

  const gateway: Gateway = {
    respond: (endpoint, stub) => void stubs.set(endpoint, stub),
    hold: (endpoint) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(endpoint, promise)
      return () => {
        held.delete(endpoint)
        resolve()
      }
    },
    calls: (endpoint) => seen.filter((call) => matches(endpoint, call)),
    all: () => seen.filter((call) => !matches(getOperations, call)),
  }
  const hasItsResponses = () => traffic.inFlight() === pending.size
  idle.set(page, () => hasItsResponses() && traffic.files() === 0)
  settlers.set(page, async () => {
    let sent: number
    do {
      sent = traffic.sent()
      await echo(page)
      while (!hasItsResponses()) await change.promise
      await echo(page)
    } while (traffic.sent() !== sent)
  })
  return [gateway, handle]
}

const settlers = new WeakMap<Page, () => Promise<void>>()
const idle = new WeakMap<Page, () => boolean>()

/** True when the page waits for no file, and for no response except those that a test holds. */
export const isIdle = (page: Page): boolean => idle.get(page)?.() ?? true

/**
 * Waits until the stub has got every call that the page has sent, and the page every response that
 * is not held.
 */
export async function settle(page: Page): Promise<void> {
  const settler = settlers.get(page)
  if (settler === undefined) throw new Error('No stub responds to this page')
  await settler()
}

/** Lets the page fetch something: whatever the browser knew of before, the page knows after. */
const echo = (page: Page) =>
  page.evaluate(async (url) => void (await fetch(url)), `${GATEWAY_URL}${ECHO_PATH}`)

/** The calls that a page sends, and the files that it fetches. */
function watchTraffic(page: Page, changed: () => void) {
  let sent = 0
  const inFlight = new Set<Request>()
  const files = new Set<Request>()
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin !== GATEWAY_URL) return void files.add(request)
    if (pathname === ECHO_PATH) return
    sent += 1
    inFlight.add(request)
    changed()
  })
  const ended = (request: Request) => {
    if (inFlight.delete(request)) changed()
    else files.delete(request)
  }
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return { sent: () => sent, inFlight: () => inFlight.size, files: () => files.size }
}

function callOf(request: IncomingMessage, body: string): Call {
  const { method = '', url = '' } = request
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  return {
    method: () => method,
    url: () => `${GATEWAY_URL}${url}`,
    headers: () => headers,
    headerValue: async (name) => headers[name.toLowerCase()] ?? null,
    postData: () => (body === '' ? null : body),
    postDataJSON: () => (body === '' ? null : JSON.parse(body)),
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  stub: StubResponse | 'offline',
): void {
  if (stub === 'offline') {
    // The browser would send the call again if the connection ended without a byte.
    request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n')
    return
  }
  const { status = 200, body, headers = {}, pieces } = stub
  response.writeHead(status, { ...cors(request), ...headers })
  if (pieces !== undefined) {
    response.flushHeaders()
    Readable.from(pieces).pipe(response)
    return
  }
  response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
}

function matches({ method, path }: Endpoint, call: Call): boolean {
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
  return call.method() === method && pattern.test(new URL(call.url()).pathname)
}

function cors(request: IncomingMessage): Record<string, string> {
  return {
    'access-control-allow-origin': request.headers.origin ?? '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, prefer',
    'access-control-expose-headers':
      'X-Request-Id, X-Kept-Days, X-Next-Before, X-Queue-Wait-Ms, Server-Timing, RateLimit, RateLimit-Policy, Retry-After, X-Total-Count, X-Total-Count-Relation',
    'access-control-max-age': '600',
    'cache-control': 'no-store',
    'content-type': 'application/json',
    vary: 'Origin',
  }
}
