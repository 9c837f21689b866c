import type { FastifyInstance } from 'fastify'
import type { Endpoint, QueryOf, ResponseOf } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { requestContextOf } from './request-context.ts'
import { routeOf } from './route.ts'

type DataOf<E extends Endpoint> = ResponseOf<E> extends { data: infer Data } ? Data : never

/**
 * A documented read: the call to the exchange, and the part of the response that the caller gets.
 */
export interface DocumentedRead {
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
