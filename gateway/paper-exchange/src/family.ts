import { createError } from '@fastify/error'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from './account.ts'
import { type Json, writeJson } from './exact-numbers.ts'
import {
  type Arrival,
  arrivalOf,
  type ExchangeRequest,
  type Params,
  toExchangeRequest,
} from './exchange-request.ts'
import type { RateLimit } from './rate-limits.ts'
import type { Venue } from './venue.ts'

export interface PublicCall {
  readonly venue: Venue
  readonly request: ExchangeRequest
  readonly params: Params
}

export interface SignedCall extends PublicCall {
  readonly account: Account
}

interface EndpointBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the family's prefix, in Fastify's notation. */
  readonly path: string
  /** All of them hold. */
  readonly limit: RateLimit | readonly RateLimit[]
}

/** Anyone may call; a limit counts per address. */
interface PublicEndpoint extends EndpointBase {
  readonly access: 'public'
  respond(call: PublicCall): Json | undefined
}

/**
 * Needs a signature by a key with that permission; a limit counts per account, but for a pool of
 * the address.
 */
interface SignedEndpoint extends EndpointBase {
  readonly access: 'read' | 'trade'
  /** Undefined when nothing is counted; each family writes that in its own way. */
  respond(call: SignedCall): Json | undefined
}

export type Endpoint = PublicEndpoint | SignedEndpoint

type Limit = EndpointBase['limit']

/** The rows of a family's table: each is a call of the exchange. */
export const publicGet = (
  path: string,
  limit: Limit,
  respond: PublicEndpoint['respond'],
): PublicEndpoint => ({ method: 'GET', access: 'public', path, limit, respond })

export const signed =
  ({ method, access }: Pick<SignedEndpoint, 'method' | 'access'>) =>
  (path: string, limit: Limit, respond: SignedEndpoint['respond']): SignedEndpoint => ({
    method,
    access,
    path,
    limit,
    respond,
  })
export const signedGet = signed({ method: 'GET', access: 'read' })
export const signedPost = signed({ method: 'POST', access: 'trade' })
export const signedDelete = signed({ method: 'DELETE', access: 'trade' })

interface FamilyResponse {
  readonly status: number
  readonly body: Json
  readonly headers?: Readonly<Record<string, string>>
}

/** What is particular to MEXC spot, MEXC futures or Bitget, apart from their endpoints. */
export interface Family {
  /** What an address may do in all, whatever the endpoint; null when no such limit is known. */
  readonly limitPerAddress: RateLimit | null
  /**
   * The header with what is left of the endpoint's limit, in each response; absent where the
   * exchange sends none.
   */
  readonly limitHeader?: string
  /**
   * @throws the family's rejection when the key, the time, the signature or the permission is not
   * valid
   */
  authenticate(venue: Venue, request: ExchangeRequest, access: 'read' | 'trade'): Account
  /** @throws the family's rejection when the body cannot be read */
  readParams(request: ExchangeRequest): Params
  envelope(data: Json | undefined, nowMs: number): Json
  tooOften(): Error
  notFound(path: string, nowMs: number): FamilyResponse
  /** Undefined when the error is a defect of this program and not a rejection by the exchange. */
  rejection(error: unknown, nowMs: number): FamilyResponse | undefined
  /** What the exchange says when it breaks. */
  broken(nowMs: number): FamilyResponse
}

/** Neither an exchange nor the control interface has this address. */
const RouteNotFoundError = createError<[method: string, url: string]>(
  'PAPER_ROUTE_NOT_FOUND',
  'Route %s:%s not found',
  404,
)

/** A family below its prefix. */
export interface FamilyRoutes {
  readonly prefix: string
  readonly venue: Venue
  readonly family: Family
  readonly endpoints: readonly Endpoint[]
}

/**
 * Serves the endpoints of the families, and each family's own 404 for everything else below its
 * prefix. One handler finds the family of an unknown path: a plugin and a 404 for each family would
 * take a third of the time of the start.
 */
export function serveFamilies(app: FastifyInstance, families: readonly FamilyRoutes[]): void {
  for (const { prefix, venue, family, endpoints } of families) {
    const errorHandler = errorHandlerOf(family)
    for (const endpoint of endpoints) {
      app.route({
        method: endpoint.method,
        url: `${prefix}${endpoint.path}`,
        exposeHeadRoute: false,
        errorHandler,
        handler: async (request, reply) =>
          sendResponse(reply, respondTo(request, arrivalOf(request), { venue, family, endpoint })),
      })
    }
  }
  const longestFirst = families.toSorted((a, b) => b.prefix.length - a.prefix.length)
  const familyOf = ({ url }: FastifyRequest): Family | undefined =>
    longestFirst.find(({ prefix }) => url.startsWith(`${prefix}/`))?.family
  app.setNotFoundHandler((request, reply) => {
    const family = familyOf(request)
    if (family === undefined) throw new RouteNotFoundError(request.method, request.url)
    return sendResponse(reply, family.notFound(request.url, arrivalOf(request).nowMs))
  })
  app.setErrorHandler((error, request, reply) => {
    const family = familyOf(request)
    if (family === undefined) throw error
    return errorHandlerOf(family)(error, request, reply)
  })
}

function errorHandlerOf(family: Family) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { nowMs } = arrivalOf(request)
    const rejection = family.rejection(error, nowMs)
    if (rejection !== undefined) return sendResponse(reply, rejection)
    const status = clientErrorStatus(error)
    if (status === undefined) request.log.error(error)
    return sendResponse(reply, {
      ...family.broken(nowMs),
      ...(status === undefined ? {} : { status }),
    })
  }
}

interface Served {
  readonly venue: Venue
  readonly family: Family
  readonly endpoint: Endpoint
}

function respondTo(raw: FastifyRequest, { nowMs }: Arrival, served: Served): FamilyResponse {
  const { venue, family, endpoint } = served
  const request = toExchangeRequest(raw, nowMs)
  takeAddressWeight(served, request.remoteAddress)
  if (endpoint.access === 'public') {
    const left = takeWeight(served, request.remoteAddress, request.remoteAddress)
    const data = endpoint.respond({ venue, request, params: family.readParams(request) })
    return toResponse(family, family.envelope(data, nowMs), left)
  }
  const account = family.authenticate(venue, request, endpoint.access)
  const left = takeWeight(served, request.remoteAddress, account.name)
  try {
    const data = endpoint.respond({ venue, request, account, params: family.readParams(request) })
    return toResponse(family, family.envelope(data, nowMs), left)
  } finally {
    // A request that is rejected may have changed something: a batch, or a replaced order.
    venue.changes.settle()
  }
}

function takeAddressWeight({ venue, family }: Served, address: string): void {
  if (family.limitPerAddress === null) return
  if (venue.limits.take(address, family.limitPerAddress) === null) throw family.tooOften()
}

/** What is left of the limit that is used up first. */
function takeWeight({ venue, family, endpoint }: Served, address: string, caller: string): number {
  const left = [endpoint.limit].flat().map((limit) => {
    const { pool } = limit
    const name =
      pool === undefined
        ? `${caller} ${endpoint.method} ${endpoint.path}`
        : `${pool.of === 'address' ? address : caller} ${pool.name}`
    const rest = venue.limits.take(name, limit)
    if (rest === null) throw family.tooOften()
    return rest
  })
  return Math.min(...left)
}

const toResponse = ({ limitHeader }: Family, body: Json, left: number): FamilyResponse => ({
  status: 200,
  body,
  ...(limitHeader === undefined ? {} : { headers: { [limitHeader]: `${left}` } }),
})

/** Status of what the HTTP server rejects by itself: a body that is too large, for example. */
function clientErrorStatus(error: unknown): number | undefined {
  const isKnown =
    error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
  return isKnown && Number(error.statusCode) < 500 ? Number(error.statusCode) : undefined
}

function sendResponse(
  reply: FastifyReply,
  { status, body, headers = {} }: FamilyResponse,
): FastifyReply {
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': 'application/json;charset=UTF-8' })
    .send(writeJson(body))
}
