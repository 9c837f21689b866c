import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, InputOf, ResponseOf } from 'schema'
import { authorOf } from './author.ts'
import { type RouteOf, routeOf } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route does that may have to wait for another administrator. */
    approvable?: Approvable
  }
  interface FastifyInstance {
    /** Whether such routes wait. Set by the plugin `approvals`. */
    requireSecondAdmin: boolean
  }
}

type Facts = Readonly<Record<string, unknown>>

/** What a call would change, for the administrator who decides. It contains no secret. */
export interface Review {
  readonly subjectKind: string
  readonly subject: string
  /** What it changes, as it is now. */
  readonly before: Facts | null
  /** What was asked for. */
  readonly after: Facts | null
  /** What must not change until it is approved, besides `before`: the row, a version. */
  readonly basis?: unknown
}

/** Who does something, and whether it was approved. */
export interface Act {
  readonly request: FastifyRequest
  readonly author: ReturnType<typeof authorOf> & {
    readonly approval?: { readonly id: number; readonly requestedBy: string }
  }
  /** Also true where REQUIRE_SECOND_ADMIN is off. */
  readonly isApproved: boolean
}

/** The input that the endpoint's schema has accepted. */
export interface AnyInput {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

/** What an endpoint does, in parts, so that it can wait for an approval between them. */
export interface ApprovableOf<E extends Endpoint> {
  /**
   * Says what the call would change; null when it needs no approval. It runs when the call arrives,
   * and again when it is approved.
   * @throws what the act itself would throw
   */
  review(input: InputOf<E>, act: Act): Promise<Review | null>
  /**
   * Checks what takes longer. It runs once, before the call waits.
   * @returns what else the other administrator should see
   * @throws what the act itself would throw
   */
  check?(input: InputOf<E>, act: Act): Promise<Facts>
  carryOut(input: InputOf<E>, act: Act): Promise<ResponseOf<E>>
}

/** The same for any endpoint, with an input that its schema has accepted. */
export interface Approvable {
  review(input: AnyInput, act: Act): Promise<Review | null>
  check?(input: AnyInput, act: Act): Promise<Facts>
  carryOut(input: AnyInput, act: Act): Promise<unknown>
}

interface ApprovableRoute<E extends Endpoint> extends RouteOf<E> {
  config: RouteOf<E>['config'] & { approvable: Approvable }
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<ResponseOf<E>>
}

/** The route of an endpoint with `approval`. The plugin `approvals` makes it wait where it must. */
export function approvableRouteOf<const E extends Endpoint>(
  endpoint: E,
  act: ApprovableOf<E>,
  nowMs: () => number,
): ApprovableRoute<E> {
  const route = routeOf(endpoint)
  // The cast is safe: the route's schema checks the input, and a stored one is checked again.
  const approvable = act as unknown as Approvable
  return {
    ...route,
    config: { ...route.config, approvable },
    handler: async (request, reply) => {
      const isApproved = !request.server.requireSecondAdmin
      const author = authorOf(request, nowMs())
      reply.code(endpoint.status ?? 200)
      return act.carryOut(inputOf(request) as InputOf<E>, { request, author, isApproved })
    },
  }
}

/** The input of a request that its route has accepted. */
export function inputOf({ routeOptions, params, query, body }: FastifyRequest): AnyInput {
  const { endpoint } = routeOptions.config
  return {
    ...(endpoint?.params === undefined ? {} : { params }),
    ...(endpoint?.query === undefined ? {} : { query }),
    ...(endpoint?.body === undefined ? {} : { body }),
  }
}
