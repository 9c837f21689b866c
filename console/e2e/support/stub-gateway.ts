import type { Page, Request, Route } from '@playwright/test'
import {
  type Endpoint,
  getClientHeartbeat,
  getClientLimits,
  getClientStop,
  getStats,
  listApiKeys,
  listClientSecrets,
  listClients,
  listLogs,
  login,
} from 'schema'
import { samples } from './samples.ts'

/**
 * Another origin than the console's, as deployed. Nothing listens there: the stub responds to every
 * call.
 */
export const GATEWAY_URL = 'http://gateway.test'

/**
 * Responded to at once and never counted: what tests call to know that all calls before have been
 * seen.
 */
export const SETTLED_PATH = '/settled'

/** What a stubbed endpoint responds with. */
export interface StubResponse {
  readonly status?: number
  /** Sent as JSON, a string as it is; absent: empty. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
/** A response, a function of the request, or `'offline'` for a failing network. */
export type Stub =
  | StubResponse
  | 'offline'
  | ((request: Request) => Promise<StubResponse> | StubResponse)

export interface Gateway {
  /** Replaces the response of an endpoint from now on. */
  readonly respond: (endpoint: Endpoint, stub: Stub) => void
  /** Holds every further call of an endpoint; the function that comes back lets them go. */
  readonly hold: (endpoint: Endpoint) => () => void
  /** The calls that an endpoint has got so far, preflights left out. */
  readonly calls: (endpoint: Endpoint) => readonly Request[]
  /** Every call so far. */
  readonly all: () => readonly Request[]
}

/** Responds to the calls of a page with the samples of the catalogue, or with what a test sets. */
export async function stubGateway(page: Page): Promise<Gateway> {
  const stubs = new Map<Endpoint, Stub>([
    [login, { body: samples.login }],
    [listClients, { body: samples.clients }],
    [listApiKeys, { body: samples.apiKeys }],
    [getClientLimits, { body: getClientLimits.sample.response }],
    [getClientStop, { body: null }],
    [getClientHeartbeat, { body: { ttlSeconds: 0, expiresAt: null } }],
    [listClientSecrets, { body: listClientSecrets.sample.response }],
    [getStats, { body: getStats.sample.response }],
    [listLogs, { body: listLogs.sample.response }],
  ])
  const seen: Request[] = []
  const held = new Map<Endpoint, Promise<void>>()

  const handle = async (route: Route) => {
    const request = route.request()
    if (request.method() === 'OPTIONS')
      return route.fulfill({ status: 204, headers: cors(request) })
    if (new URL(request.url()).pathname === SETTLED_PATH)
      return route.fulfill({ status: 204, headers: cors(request) })
    seen.push(request)
    const endpoint = [...stubs.keys(), ...held.keys()].find((known) => matches(known, request))
    if (endpoint !== undefined) await held.get(endpoint)
    const stub = (endpoint && stubs.get(endpoint)) ?? { status: 204 }
    const response = typeof stub === 'function' ? await stub(request) : stub
    // A page that is gone by now has no use for the response.
    if (page.isClosed()) return
    if (response === 'offline') return route.abort('connectionrefused')
    const { status = 200, body, headers = {} } = response
    return route.fulfill({
      status,
      headers: { ...cors(request), ...headers },
      body: body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body),
    })
  }
  await page.route(`${GATEWAY_URL}/**`, handle)

  return {
    respond: (endpoint, stub) => void stubs.set(endpoint, stub),
    hold: (endpoint) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(endpoint, promise)
      return () => {
        held.delete(endpoint)
        resolve()
      }
    },
    calls: (endpoint) => seen.filter((request) => matches(endpoint, request)),
    all: () => seen,
  }
}

function matches({ method, path }: Endpoint, request: Request): boolean {
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
  return request.method() === method && pattern.test(new URL(request.url()).pathname)
}

function cors(request: Request): Record<string, string> {
  return {
    'access-control-allow-origin': request.headers().origin ?? '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, prefer',
    'access-control-expose-headers':
      'X-Request-Id, X-Queue-Wait-Ms, Server-Timing, RateLimit, RateLimit-Policy, Retry-After, X-Total-Count, X-Total-Count-Relation',
    'content-type': 'application/json',
    vary: 'Origin',
  }
}
