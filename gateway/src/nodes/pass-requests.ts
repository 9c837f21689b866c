import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Endpoint, EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import type { UpstreamResponse } from '../exchanges/exchange.ts'
import { exactAddress } from '../http/caller-address.ts'
import { isOrderRequest } from '../http/errors.ts'
import { hangUpSignal } from '../http/hang-up.ts'
import { passedRequestOf } from '../http/passed-request.ts'
import { CallerGoneError, GatewayStoppingError, isNotSent } from '../lane/errors.ts'
import { OutcomeUnknownError } from '../orders/errors.ts'
import { OwnerConnectionLostError, OwnerUnreachableError } from './errors.ts'
import { headersToPass, headersToReturn } from './hop.ts'
import type { Owners, RemoteOwner } from './owners.ts'
import type { Passing, RequestToPass } from './passing.ts'

export interface PassRequestsDeps {
  readonly owners: Owners
  readonly passing: Pick<Passing, 'pass' | 'isClosing'>
  /** Names this node in the requests that it passes. */
  readonly nodeId: string
  /**
   * The exchange for which an order or cancel waits, by its request id; undefined when it does not
   * wait: then the journal says everything.
   */
  readonly exchangeOfQueued: (id: string) => Promise<ExchangeCode | undefined>
}

/**
 * Passes what concerns the lane of an exchange to the node that has it, on the routes registered
 * after this call. It runs once the caller is authenticated and the request is validated; the owner
 * does both again. A request is passed once at most.
 */
export function passRequests(app: FastifyInstance, deps: PassRequestsDeps): void {
  app.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {}
    if (endpoint?.proxy === undefined && endpoint?.exchangeIn === undefined) return
    route.preHandler = [
      (request, reply, done) => {
        const exchange = exchangeNamedIn(endpoint, request)
        if (exchange !== undefined && deps.owners.ownerOf(exchange) === 'self') return done()
        passOn(exchange, request, reply, deps).then((isPassed) => {
          if (!isPassed) done()
        }, done)
      },
      ...[route.preHandler ?? []].flat(),
    ]
  })
}

/** Undefined where the request names an order instead. */
function exchangeNamedIn(
  { proxy, exchangeIn }: Endpoint,
  request: FastifyRequest,
): ExchangeCode | undefined {
  if (proxy !== undefined) return proxy.exchange
  if (exchangeIn === 'order') return undefined
  const fields = exchangeIn === 'params' ? request.params : request.body
  const { exchange } = fields as { readonly exchange?: unknown }
  return EXCHANGES.find((code) => code === exchange)
}

/** @returns false when this node has to carry it out itself */
async function passOn(
  named: ExchangeCode | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: PassRequestsDeps,
): Promise<boolean> {
  const exchange = named ?? (await exchangeOfOrder(request, deps))
  const owner = exchange === undefined ? 'self' : deps.owners.ownerOf(exchange)
  if (exchange === undefined || owner === 'self') return false
  try {
    const response = await passOnce(exchange, owner, request, reply, deps)
    // The owner has written the log's row.
    request.timings = null
    reply.code(response.status).headers(headersToReturn(response.headers)).send(response.body)
    return true
  } catch (error) {
    // The status of an order is in the journal too; only its place in the queue is not.
    const isInJournal = named === undefined && request.method === 'GET'
    if (!isInJournal || error instanceof CallerGoneError) throw error
    request.log.warn({ err: error }, 'the place of an order in the queue is unknown')
    return false
  }
}

async function exchangeOfOrder(
  { params }: FastifyRequest,
  { exchangeOfQueued }: PassRequestsDeps,
): Promise<ExchangeCode | undefined> {
  const { id } = params as { readonly id: string }
  return exchangeOfQueued(id)
}

/** @throws what the caller gets */
async function passOnce(
  exchange: ExchangeCode,
  owner: RemoteOwner | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  { owners, passing, nodeId }: PassRequestsDeps,
): Promise<UpstreamResponse> {
  const name = EXCHANGE_NAMES[exchange]
  // Two nodes that each take the other for the owner must not pass it back and forth.
  if (owner === undefined || passedRequestOf(request.raw) !== undefined)
    throw new OwnerUnreachableError(name)
  if (passing.isClosing) throw new GatewayStoppingError()
  const signal = hangUpSignal(reply)
  // While this node knows of no owner, the one that has the request may still be it.
  const isOwner = () => {
    const now = owners.ownerOf(exchange)
    return now === undefined || (now !== 'self' && now.fence === owner.fence)
  }
  try {
    return await passing.pass(owner, toPass(request, nodeId), { signal, isOwner })
  } catch (cause) {
    if (signal.aborted) {
      // The owner has written the log's row.
      request.timings = null
      throw new CallerGoneError()
    }
    if (isNotSent(cause)) throw new OwnerUnreachableError(name, { cause })
    if (isOrderRequest(request)) throw new OutcomeUnknownError(name, WHY_UNKNOWN, {}, cause)
    throw new OwnerConnectionLostError(name, { cause })
  }
}

const WHY_UNKNOWN = 'the node of this gateway that sends to it did not respond'

function toPass(request: FastifyRequest, nodeId: string): RequestToPass {
  const { method, url, headers, bodyText, id: requestId } = request
  return {
    // Fastify answers a HEAD with the headers of the response to a GET.
    method: (method === 'HEAD' ? 'GET' : method) as RequestToPass['method'],
    url,
    headers: headersToPass(headers, { requestId, address: exactAddress(request), nodeId }),
    body: bodyText === '' ? null : bodyText,
  }
}
