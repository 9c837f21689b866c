import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditAction, Endpoint, InputOf, ResponseOf } from 'schema'
import type { TSchema } from 'typebox'
import { hangUpSignal } from './request-context.ts'
import { authorOf } from './request-origin.ts'
import { routeOf } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What an administrator does with the route. */
    act?: Act
  }
  interface FastifyInstance {
    /** Whether acts wait for another administrator. Set by the plugin `approvals`. */
    requireSecondAdmin: boolean
  }
}

type Facts = Readonly<Record<string, unknown>>

/** What an entry of the audit trail is about, by the name that people know. */
interface Subject {
  readonly subjectKind: string
  readonly subject: string
}

/** What a call would change, for the administrator who decides. It contains no secret. */
export interface Review extends Subject {
  /** What it changes, as it is now. */
  readonly before: Facts | null
  /** What was asked for. */
  readonly after: Facts | null
  /** What must not change until it is approved, besides `before`: the row, a version. */
  readonly basis?: unknown
}

type Author = ReturnType<typeof authorOf> & {
  readonly approval?: { readonly id: number; readonly requestedBy: string }
}

interface What<Action> extends Subject {
  readonly action: Action
  readonly before?: Facts | null
  readonly after?: Facts | null
}

/** Who acts, and how that is recorded. `Action`: the entries that the act declares. */
export interface By<Action extends AuditAction = AuditAction> {
  readonly request: FastifyRequest
  readonly author: Author
  /** Also true where REQUIRE_SECOND_ADMIN is off. */
  readonly isApproved: boolean
  /** Makes an entry of the audit trail, which a store appends together with the change. */
  readonly entry: <A extends Action>(what: What<A>) => What<A> & { readonly author: Author }
  /** Writes a line to the gateway's log: who, from where, what. It contains no secret. */
  log(change: string, what: Readonly<Record<string, string | number>>): void
  /** Aborts when the caller hangs up. */
  hangUp(): AbortSignal
}

/** The input that the endpoint's schema has accepted. */
export interface AnyInput {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

type ResultOf<E extends Endpoint> = E extends { readonly response: TSchema }
  ? Promise<ResponseOf<E>>
  : Promise<void>
type AdminEndpoint = Endpoint & { readonly access: 'admin' }

interface Change<E extends Endpoint, Action extends AuditAction, Parts> {
  /** The entries that it leaves in the audit trail. Stores append them with the change. */
  readonly entries: readonly [Action, ...Action[]]
  /** The response has a secret, which no cache may keep. */
  readonly hasSecret?: true
  readonly bodyLimit?: number
  /** Makes the change, and its entry. */
  run(input: InputOf<E>, by: By<Action>, parts: Parts): ResultOf<E>
}

/** What an endpoint with `approval` needs as well, so that its calls can wait. */
interface Reviewed<E extends Endpoint, Action extends AuditAction, Parts> {
  /**
   * Says what the call would change; null when it needs no approval. It runs when the call arrives,
   * and again when it is approved.
   * @throws what the act itself would throw
   */
  review(input: InputOf<E>, by: By<Action>, parts: Parts): Promise<Review | null>
  /**
   * Checks what takes longer. It runs once, before the call waits.
   * @returns what else the other administrator should see
   * @throws what the act itself would throw
   */
  check?(input: InputOf<E>, by: By<Action>, parts: Parts): Promise<Facts>
}

type ActOf<E extends Endpoint, Action extends AuditAction, Parts> = Change<E, Action, Parts> &
  (E extends { readonly approval: string }
    ? Reviewed<E, Action, Parts>
    : { readonly review?: never; readonly check?: never })

/** The same for any endpoint, with an input that its schema has accepted. */
export interface Act {
  readonly endpoint: Endpoint
  readonly review?: (input: AnyInput, by: By) => Promise<Review | null>
  readonly check?: (input: AnyInput, by: By) => Promise<Facts>
  readonly run: (input: AnyInput, by: By) => Promise<unknown>
}

/**
 * Gives the form of an act to a plugin that has these parts. An act is what an administrator may
 * change: its endpoint says who may, `run` makes the change, `entries` is what the audit trail says
 * of it. The plugin `approvals` makes it wait where its endpoint has `approval`.
 * `scripts/test/acts.test.ts` finds an endpoint that changes something by another way.
 */
export function actsWith<Parts extends { readonly nowMs: () => number }>() {
  return <const E extends AdminEndpoint, const Action extends AuditAction>(
    endpoint: E,
    act: ActOf<E, Action, Parts>,
  ) =>
    (parts: Parts) =>
      // The cast is safe: the route's schema checks the input, and a stored one is checked again.
      toRoute(endpoint, act as unknown as Change<Endpoint, AuditAction, Parts>, parts)
}

function toRoute<Parts extends { readonly nowMs: () => number }>(
  endpoint: Endpoint,
  act: Change<Endpoint, AuditAction, Parts> & Partial<Reviewed<Endpoint, AuditAction, Parts>>,
  parts: Parts,
) {
  const { review, check, run, hasSecret = false, bodyLimit } = act
  const route = routeOf(endpoint)
  const bound: Act = {
    endpoint,
    run: async (input, by) => run(input, by, parts),
    ...(review === undefined ? {} : { review: (input, by) => review(input, by, parts) }),
    ...(check === undefined ? {} : { check: (input, by) => check(input, by, parts) }),
  }
  return {
    ...route,
    config: { ...route.config, act: bound },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const isApproved = !request.server.requireSecondAdmin
      const by = byOf(request, reply, authorOf(request, parts.nowMs()), isApproved)
      const result = await bound.run(inputOf(request), by)
      reply.code(endpoint.status ?? 200)
      if (hasSecret) reply.header('cache-control', 'no-store')
      return result ?? null
    },
  }
}

/** Who sends a request. */
export function byOf(
  request: FastifyRequest,
  reply: FastifyReply,
  author: Author,
  isApproved: boolean,
): By {
  return {
    ...{ request, author, isApproved },
    entry: (what) => ({ author, ...what }),
    log(change, what) {
      const admin = request.caller?.kind === 'admin' ? request.caller.email : null
      request.log.info({ audit: true, admin, from: request.ip, ...what }, change)
    },
    hangUp: () => hangUpSignal(reply),
  }
}

/** Who decides on an act of somebody else. */
export type Decider = Omit<By, 'entry'>

/** The same person, who carries out what somebody else asked for. */
export function approvedBy(by: Decider, approval: NonNullable<Author['approval']>): By {
  const author = { ...by.author, approval }
  return { ...by, author, isApproved: true, entry: (what) => ({ author, ...what }) }
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
