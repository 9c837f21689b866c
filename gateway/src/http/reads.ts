import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, ExchangeCode, QueryOf, ResponseOf } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { idsAskedIn } from '../exchanges/named-ids.ts'
import type { OrderOwners } from '../orders/order-owners.ts'
import { withoutRowsOfOthers } from '../orders/order-owners.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { requestContextOf } from './request-context.ts'
import { permissionFor, routeOf } from './route.ts'

type DataOf<E extends Endpoint> = ResponseOf<E> extends { data: infer Data } ? Data : never

/**
 * A documented read: the call to the exchange, and the part of the response that the caller gets.
 */
interface DocumentedRead {
  readonly endpoint: Endpoint
  call(query: unknown): UpstreamCall
  read(data: unknown, query: unknown): unknown
}

/** One row of the table of reads. */
export function documentedRead<const E extends Endpoint>(
  endpoint: E,
  call: (query: QueryOf<E>) => UpstreamCall,
  read: (data: unknown, query: QueryOf<E>) => DataOf<E>,
): DocumentedRead {
  // The route's schema has already checked the query.
  return {
    endpoint,
    call: (query) => call(query as QueryOf<E>),
    read: (data, query) => read(data, query as QueryOf<E>),
  }
}

/** Adds a route for each row. The endpoint declares its class in the lane. */
export function addReadRoutes(
  app: FastifyInstance,
  upstream: Pick<Upstream, 'ask'>,
  rows: readonly DocumentedRead[],
): void {
  for (const { endpoint, call, read } of rows) {
    app.route({
      ...routeOf(endpoint),
      handler: async (request, reply) => {
        const { query } = request
        const data = await upstream.ask(
          requestContextOf(request, reply),
          call(query),
          (found) => read(found, query),
          endpoint.proxy?.requestClass,
        )
        return { success: true, data }
      },
    })
  }
}

type Owners = Pick<OrderOwners, 'ofOthersAmong' | 'othersWithKeyOf'>
interface Reader {
  readonly clientRef: number
  readonly exchange: ExchangeCode
}

/**
 * Leaves out of what bots read of their account the orders and fills of other clients with the same
 * exchange key: on the exchanges' own paths and on the documented ones. `X-Rows-Left-Out` says how
 * many. A read of one such order is refused.
 */
export function leaveOutRowsOfOthers(app: FastifyInstance, owners: Owners): void {
  // With a callback: whatever else is sent goes out in the same turn of the event loop.
  app.addHook('onSend', (request, reply, payload, done) => {
    const reader = reply.statusCode < 300 ? readerOf(request) : undefined
    if (reader === undefined) done(null, payload)
    else ownRowsOf(owners, reader, request, reply, payload).then((own) => done(null, own), done)
  })
}

/** Who reads its account with a request; undefined when it is no such read. */
function readerOf(request: FastifyRequest): Reader | undefined {
  const { caller, routeOptions } = request
  const exchange = routeOptions.config.endpoint?.proxy?.exchange
  if (caller?.kind !== 'client' || exchange === undefined) return undefined
  if (permissionFor(request) !== 'account') return undefined
  return { clientRef: caller.clientRef, exchange }
}

async function ownRowsOf(
  owners: Owners,
  reader: Reader,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
  const others = await owners.othersWithKeyOf(reader)
  if (others.length === 0) return payload
  reply.removeHeader('content-length')
  const asked = idsAskedIn(request.url, request.bodyText)
  const own = await withoutRowsOfOthers(owners, reader, others, payload.toString(), asked)
  if (own === undefined) return payload
  reply.header('x-rows-left-out', own.leftOut)
  return own.text
}
