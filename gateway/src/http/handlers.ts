import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Endpoint,
  type ExchangeCode,
  getRequest,
  type QueryOf,
  type ResponseOf,
  urlOf,
} from 'schema'
import { idsAskedIn } from '../exchanges/call-effects.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { IdempotencyKeyInvalidError } from '../orders/errors.ts'
import { type OrderOwners, withoutRowsOfOthers } from '../orders/order-owners.ts'
import type { OrderRequest, OrderSteps } from '../orders/order-request.ts'
import type { PlaceOrder } from '../orders/place-order.ts'
import { clientOrderIdOf } from '../orders/retries.ts'
import { JSON_TYPE, type StoredResponse } from '../upstream/responses.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { prefersAsync, requestContextOf } from './request-context.ts'
import { retryAfterOfStored } from './retry-after.ts'
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

/** What distinguishes two requests with the same idempotency key. */
interface Payload {
  readonly url: string
  readonly body: unknown
}

interface OrderHandlerOptions<Result> {
  /**
   * @param clientOrderId for an order to which the bot gave none; the same for the same idempotency
   * key
   */
  readonly stepsFor: (clientOrderId: string) => OrderSteps<Result>
  /** Absent: the class that the endpoint declares. */
  readonly jobClass?: OrderRequest['jobClass']
  /** Absent: the URL and body of the request. */
  readonly payload?: Payload
}

export type OrderHandler = <Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  options: OrderHandlerOptions<Result>,
) => Promise<FastifyReply>

/**
 * Places, changes or cancels an order once: a retry with the same `Idempotency-Key` gets the first
 * response. `Prefer: respond-async` responds 202 with the URL of the status.
 */
export function createOrderHandler(
  exchange: ExchangeCode,
  placeOrder: Pick<PlaceOrder, 'place'>,
): OrderHandler {
  return async (request, reply, { stepsFor, payload = request, jobClass = classOf(request) }) => {
    const context = requestContextOf(request, reply)
    const isAsync = prefersAsync(request.headers.prefer)
    const order: OrderRequest = {
      id: request.id,
      clientRef: context.clientRef,
      clientId: context.clientId,
      exchange,
      method: request.method,
      endpoint: context.endpoint,
      fingerprint: fingerprintOf(request.method, payload.url, payload.body),
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      jobClass,
    }
    const { id, isReplay, response, ended } = await placeOrder.place(
      order,
      context,
      stepsFor(clientOrderIdOf(order)),
      isAsync ? undefined : context.signal,
    )
    const location = urlOf(getRequest, { params: { id } })
    // The status URL is that of the first request with the key: this request has no row in the
    // journal.
    if (isReplay) reply.headers({ 'idempotency-replayed': 'true', location })
    // The hook that sends a response waits for it.
    const sendAtEnd = () => {
      if (context.signal?.aborted !== true && request.timings !== null)
        request.timings.ended = ended
    }
    if (!isAsync) return sendStored(reply, await response.finally(sendAtEnd))
    // An immediate rejection is sent as it is. For everything later the caller reads the journal.
    const soon = await Promise.race([response.finally(sendAtEnd), nextTurn()])
    if (soon !== undefined) return sendStored(reply, soon)
    response.catch((error) => request.server.passInBackground?.(request, error))
    return reply
      .code(202)
      .headers({ location, 'preference-applied': 'respond-async' })
      .type(JSON_TYPE)
      .send(JSON.stringify({ id, state: 'queued', location }))
  }
}

/** The lane's class of an endpoint that places or cancels orders. */
function classOf({ routeOptions, url }: FastifyRequest): OrderRequest['jobClass'] {
  const requestClass = routeOptions.config.endpoint?.proxy?.requestClass
  if (requestClass === 'order' || requestClass === 'cancel') return requestClass
  throw new Error(`The endpoint of ${url} places or cancels no orders`)
}

/** Long enough for a rejection that does not involve the exchange: a full queue, a used key. */
function nextTurn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(undefined))))
}

function sendStored(reply: FastifyReply, response: StoredResponse): FastifyReply {
  // The journal has no headers: a replay says again when to retry.
  const seconds = response.headers === undefined ? retryAfterOfStored(response) : undefined
  if (seconds !== undefined) reply.header('retry-after', seconds)
  return reply
    .code(response.statusCode)
    .headers(response.headers ?? {})
    .type(response.contentType)
    .send(response.body)
}

/**
 * Reads the Idempotency-Key of a request (IETF draft-07): a quoted string as in the draft, or a
 * bare one.
 * @returns null when there is none
 * @throws IdempotencyKeyInvalidError
 */
function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const text = Array.isArray(header) ? header.join(',') : header.trim()
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]
  const key = quoted === undefined ? text : quoted.replaceAll(/\\(["\\])/g, '$1')
  // Node joins repeated headers with a comma: the result is not one key.
  const isOne = quoted !== undefined || !/[",]/.test(key)
  if (!/^[\x20-\x7e]{1,255}$/.test(key) || !isOne) throw new IdempotencyKeyInvalidError()
  return key
}

/**
 * A hash of a request that does not depend on the white space and the order of fields in its JSON.
 */
function fingerprintOf(method: string, url: string, body: unknown): string {
  return hash('sha256', JSON.stringify([method, url, body], sortedKeys), 'base64url')
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
