import { stringify } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EXCHANGE_NAMES } from 'schema'
import type { UpstreamResponse } from '../exchanges/exchange.ts'
import { isOrderRequest } from '../http/errors.ts'
import { hangUpSignal, readPreferWaitMs } from '../http/request-context.ts'
import { exactAddress, markPassedOn, passedRequestOf } from '../http/request-origin.ts'
import { isForOwner } from '../http/route.ts'
import { CallerGoneError, GatewayStoppingError, isNotSent, notSent } from '../lane/errors.ts'
import { handedOverIn, OutcomeUnknownError } from '../orders/errors.ts'
import { NotOwnerError } from '../store/errors.ts'
import type { Time } from '../time.ts'
import { OwnerConnectionLostError } from './errors.ts'
import { headersToPass, headersToReturn, NOT_OWNER_HEADER, preferAfter } from './hop.ts'
import { isStillOwner, type OwnerView, type RemoteOwner } from './ownership.ts'
import type { ParkedRequests, Passing, RequestToPass } from './passing.ts'

/**
 * The longest that a request waits for an owner; its time in an owner's queue does not count. A
 * bot's `Prefer: wait` can only shorten it.
 */
export const PARKED_MS = 10_000

/** When a request came to this node, on the monotonic clock. */
const arrivals = new WeakMap<FastifyRequest, number>()

export interface PassRequestsDeps {
  readonly ownerView: OwnerView
  readonly parked: Pick<ParkedRequests, 'owner' | 'refused'>
  readonly passing: Pick<Passing, 'pass' | 'track' | 'isClosing'>
  /** Names this node in the requests that it passes. */
  readonly nodeId: string
  /**
   * Ends an order that this node has handed over, unless an owner has taken it.
   * @returns whether it was ended
   */
  readonly endHandedOver: (id: string) => Promise<boolean>
  /** A request has the response of another node, or could not be passed. It must not throw. */
  readonly onPassed: (result: PassResult) => void
  /** Passes the request for a stream. */
  readonly passStream: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  readonly time: Pick<Time, 'monotonic'>
  /** Another time than PARKED_MS, for tests. */
  readonly parkedMs?: number | undefined
}

export type PassResult = 'answered' | 'failed'

/**
 * On the routes registered after this call, only the owner handles requests, unless the endpoint
 * declares `anywhere`. At another node, a request fails with NotOwnerError once the caller is
 * authenticated and the request is validated. Such a request is passed to the owner, which does
 * both again. So is one that fails with this error later: the node was the owner and leaves, and
 * nothing was sent. What came from another node goes back to it instead.
 */
export function passRequests(app: FastifyInstance, deps: PassRequestsDeps): void {
  const { ownerView, time, passStream } = deps
  app.decorate('passInBackground', (request: FastifyRequest, error: unknown) => {
    if (isNotOwner(error)) passInBackground(request, error, deps)
  })
  app.addHook('onRoute', (route) => {
    const { stream } = route.config ?? {}
    if (!isForOwner(route.config)) return
    route.preHandler = [
      (request, _reply, done) => {
        arrivals.set(request, time.monotonic())
        if (ownerView.owner() === 'self') done()
        else done(notSent(new NotOwnerError()))
      },
      ...[route.preHandler ?? []].flat(),
    ]
    route.errorHandler = (error, request, reply) => {
      // What is thrown here goes to the error handler of the app.
      if (!isNotOwner(error)) throw error
      if (passedRequestOf(request.raw) !== undefined) {
        reply.header(NOT_OWNER_HEADER, '1')
        throw error
      }
      if (stream !== undefined) return passStream(request, reply)
      return passOn(request, reply, error, deps)
    }
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * For an order whose caller already has the response that it was accepted: when the node is no
     * longer the owner, the next owner gets the order. Absent where there is no group.
     */
    passInBackground?: (request: FastifyRequest, error: unknown) => void
  }
}

function isNotOwner(error: unknown): boolean {
  return error instanceof NotOwnerError && isNotSent(error)
}

/** @throws what the caller gets */
async function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  why: unknown,
  deps: PassRequestsDeps,
): Promise<FastifyReply> {
  const signal = hangUpSignal(reply)
  try {
    const { status, headers, body } = await deliver(request, { signal, why }, deps)
    // The owner has written the log's row.
    request.timings = null
    markPassedOn(request)
    return reply.code(status).headers(headersToReturn(headers)).send(body)
  } catch (error) {
    if (error instanceof CallerGoneError) request.timings = null
    throw error
  }
}

function passInBackground(request: FastifyRequest, why: unknown, deps: PassRequestsDeps): void {
  deliver(request, { signal: new AbortController().signal, why }, deps).then(
    ({ status }) => {
      if (status >= 400) request.log.warn({ status }, 'the next owner refused an accepted order')
    },
    (err) => request.log.error({ err }, 'an accepted order could not be passed to the next owner'),
  )
}

interface Delivery {
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  /** The error with which this node gave the request up. */
  readonly why: unknown
}

/**
 * Passes a request to the owner. An order of it that no owner takes then ends in the journal, so
 * that `GET /api/requests/{id}` does not say that it waits.
 * @throws what the caller gets
 */
function deliver(
  request: FastifyRequest,
  { signal, why }: Delivery,
  deps: PassRequestsDeps,
): Promise<UpstreamResponse> {
  const { passing, onPassed } = deps
  if (passing.isClosing) return Promise.reject(new GatewayStoppingError())
  const order = handedOverIn(why)
  const endOrder = async () => {
    if (order === undefined) return false
    return deps.endHandedOver(order).catch((err: unknown) => {
      request.log.error({ err }, 'an order that no owner took could not be ended in the journal')
      return false
    })
  }
  const response = passing.track(async () => {
    try {
      const taken = await passToOwner(request, signal, deps)
      if (taken.status >= 400) await endOrder()
      return taken
    } catch (error) {
      const isProven = (await endOrder()) && !(error instanceof OutcomeUnknownError)
      throw isProven && error instanceof Error ? notSent(error) : error
    }
  })
  response.then(
    () => onPassed('answered'),
    () => onPassed('failed'),
  )
  return response
}

/**
 * As long as no owner has taken the request, it is tried again with the next one; nothing is passed
 * again that an owner may have carried out.
 * @throws what the caller gets
 */
async function passToOwner(
  request: FastifyRequest,
  signal: AbortSignal,
  deps: PassRequestsDeps,
): Promise<UpstreamResponse> {
  const { parked, time, parkedMs = PARKED_MS } = deps
  const nowMs = time.monotonic()
  const sinceMs = arrivals.get(request) ?? nowMs
  const waitMs = readPreferWaitMs(request.headers.prefer) ?? Number.POSITIVE_INFINITY
  let parkedUntilMs = nowMs + parkedMs
  let cause: unknown
  for (;;) {
    const untilMs = Math.min(parkedUntilMs, sinceMs + waitMs)
    const owner = await parked.owner({ untilMs, signal, cause })
    const passedAtMs = time.monotonic()
    const response = await passOnce(owner, request, { sinceMs, untilMs, signal }, deps)
    if (!(response instanceof Error)) return response
    // It has waited in the queue of an owner that leaves.
    if (response instanceof NotOwnerError) parkedUntilMs += time.monotonic() - passedAtMs
    cause = response
    parked.refused(owner)
  }
}

interface Turn {
  /** When the request came. */
  readonly sinceMs: number
  /** Until when its first byte must be sent. */
  readonly untilMs: number
  readonly signal: AbortSignal
}

/**
 * @returns the response of the owner, or why it did not take the request
 * @throws what the caller gets
 */
async function passOnce(
  owner: RemoteOwner,
  request: FastifyRequest,
  { sinceMs, untilMs, signal }: Turn,
  { ownerView, passing, nodeId, time }: PassRequestsDeps,
): Promise<UpstreamResponse | Error> {
  const isOwner = () => isStillOwner(ownerView, owner, nodeId)
  try {
    const waitedMs = time.monotonic() - sinceMs
    const toSend = toPass(request, { nodeId, ownerId: owner.nodeId, waitedMs })
    const response = await passing.pass(owner, toSend, { signal, untilMs, isOwner })
    return response.headers[NOT_OWNER_HEADER] === undefined ? response : new NotOwnerError()
  } catch (cause) {
    if (signal.aborted) throw new CallerGoneError()
    if (cause instanceof Error && isNotSent(cause)) return cause
    const { proxy } = request.routeOptions.config.endpoint ?? {}
    if (proxy !== undefined && isOrderRequest(request))
      throw new OutcomeUnknownError(EXCHANGE_NAMES[proxy.exchange], WHY_UNKNOWN, {}, cause)
    throw new OwnerConnectionLostError({ cause })
  }
}

const WHY_UNKNOWN = 'the node of this gateway that sends to it did not respond'

interface Hop {
  readonly nodeId: string
  readonly ownerId: string
  readonly waitedMs: number
}

function toPass(request: FastifyRequest, { nodeId, ownerId, waitedMs }: Hop): RequestToPass {
  const { method, url, id: requestId } = request
  const headers = preferAfter(request.headers, waitedMs)
  const passed = { requestId, address: exactAddress(request), nodeId }
  return {
    // Fastify responds to a HEAD with the headers of the response to a GET.
    method: (method === 'HEAD' ? 'GET' : method) as RequestToPass['method'],
    url,
    headers: headersToPass(headers, passed, ownerId),
    body: bodyOf(request),
  }
}

/** JSON as it was received; a form has the same fields. */
function bodyOf({ bodyText, body, headers }: FastifyRequest): string | null {
  if (bodyText !== '') return bodyText
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  return isForm && typeof body === 'object' ? stringify(body as Record<string, string>) : null
}
