import { isUtf8 } from 'node:buffer'
import { createError } from '@fastify/error'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import {
  bgDropIn,
  type ExchangeCode,
  mxDropIn,
  mxRawOrder,
  mxTickerPrice,
  type Permission,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import {
  type BotCall,
  type BotCallHead,
  isNamedByBot,
  isRepeatable,
  jobClassOf,
  nameBotOrders,
  payloadOf,
  permissionOf,
  readBotCall,
  readBotCallHead,
  withBodyKind,
} from '../../exchanges/bot-call.ts'
import { eachExchange } from '../../exchanges/exchange.ts'
import { checkValues } from '../../exchanges/protocol/lossless.ts'
import { isTimeCall, timeResponse } from '../../exchanges/public-data.ts'
import { RAW_MOUNTS } from '../../exchanges/refusals.ts'
import { MethodNotAllowedError, pathOf, RouteNotFoundError } from '../../http/errors.ts'
import { createOrderHandler, type OrderHandler } from '../../http/handlers.ts'
import { requestContextOf, sendAsIs } from '../../http/request-context.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import type { OrderSteps } from '../../orders/order-request.ts'
import { foundRawResponse } from '../../orders/order-request.ts'
import { type StoredResponse, toStoredResponse } from '../../upstream/responses.ts'
import type { Upstream } from '../../upstream/upstream.ts'

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

const ENDPOINTS = { mx: mxDropIn, bg: bgDropIn } as const

/**
 * The exchanges' own APIs: a bot that was written for an exchange changes its base URL and adds a
 * token. The policy (`exchanges/policy`) decides which calls pass; the exchange interprets the
 * body.
 */
export const dropIn: FastifyPluginAsync<Pick<Parts, 'exchanges' | 'orders'>> = async (
  app,
  { exchanges: { upstreams }, orders },
) => {
  app.decorateRequest('rawCall', null)
  takeBodiesAsText(app)
  app.addHook('preValidation', readBodyKind)
  // The schemas only document the calls: the gateway rejects nothing that the exchange would
  // accept.
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  const handlers = eachExchange((exchange) =>
    createDropInHandler(upstreams[exchange], createOrderHandler(exchange, orders.placeOrder)),
  )

  for (const { prefix, ours, exchange } of RAW_MOUNTS) {
    const endpoint = ENDPOINTS[exchange]
    const permissionOf = permissionReader(exchange, ours)
    await app.register(
      async (family) => {
        family.route({
          method: [...METHODS],
          url: '/*',
          schema: { hide: true },
          config: { access: endpoint.access, endpoint, isRaw: true, permissionOf },
          handler: handlers[exchange],
        })
        family.setNotFoundHandler((request, reply) => {
          const path = pathOf(request.url)
          if (isMethod(request.method)) throw new RouteNotFoundError(request.method, path)
          reply.header('allow', `${METHODS.join(', ')}, HEAD`)
          throw new MethodNotAllowedError(request.method, path, METHODS.join(', '))
        })
      },
      { prefix },
    )
  }

  // Two of the calls have documentation of their own; they are served like all the others.
  const permissionOf = permissionReader('mx', '')
  for (const route of [routeOf(mxTickerPrice), textRouteOf(mxRawOrder)])
    app.route({
      ...route,
      config: { ...route.config, isRaw: true, permissionOf },
      handler: handlers.mx,
    })
}

function isMethod(method: string): boolean {
  return METHODS.some((each) => each === method)
}

/**
 * Handles a call on an exchange's own path: the request is forwarded unchanged with a new
 * signature, and the response is returned unchanged.
 */
function createDropInHandler(
  upstream: Pick<Upstream, 'askRaw' | 'time'>,
  handleOrder: OrderHandler,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { rawCall } = request
    if (rawCall === null) throw new Error(`${request.url} was not matched with the policy`)
    const bot = readBotCall(rawCall, request.bodyText, request.headers['content-type'])
    const { call } = bot
    const jobClass = jobClassOf(bot)
    if (jobClass !== undefined)
      return handleOrder(request, reply, {
        jobClass,
        payload: payloadOf(bot),
        stepsFor: (clientOrderId) => rawSteps(bot, clientOrderId),
      })
    // SDKs set their clock by this call: a response that had waited in the queue would set it
    // wrong.
    const nowMs = isTimeCall(call) ? await upstream.time.nowMs() : undefined
    if (nowMs !== undefined) return reply.send(timeResponse(call.family, nowMs))
    const { response } = await upstream.askRaw(requestContextOf(request, reply), call)
    return sendAsIs(reply, response)
  }
}

/** The result is the exchange's response itself. */
function rawSteps(bot: BotCall, clientOrderId: string): OrderSteps<StoredResponse> {
  return {
    raw: true,
    isRepeatable: isRepeatable(bot),
    hasOwnId: isNamedByBot(bot),
    build: () => nameBotOrders(bot, clientOrderId),
    read: (_data, response) => toStoredResponse(response),
    fromFound: foundRawResponse,
    respond: (response) => response,
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The exchange's call, as the policy allowed it; null on every other route. */
    rawCall: BotCallHead | null
  }
}

/**
 * Returns a function that says which permission a call on an exchange's own path needs. It also
 * stores the call in the request, so that exactly what matched the policy is sent.
 * @param ours the prefix before the exchange's own path
 */
function permissionReader(exchange: ExchangeCode, ours: string) {
  return (request: FastifyRequest): Permission => {
    request.rawCall ??= readBotCallHead(exchange, {
      // A HEAD gets the headers of the GET, as on every route; no exchange documents one.
      method: request.method === 'HEAD' ? 'GET' : request.method,
      target: request.url.startsWith(ours) ? request.url.slice(ours.length) : request.url,
      headers: request.headers,
    })
    return permissionOf(request.rawCall)
  }
}

/** Corrects the kind of the call by its body; the guard then checks the permission again. */
async function readBodyKind(request: FastifyRequest): Promise<void> {
  if (request.rawCall !== null) request.rawCall = withBodyKind(request.rawCall, request.bodyText)
}

/**
 * Fifty orders with 2.5 KB each. The body is parsed several times on the event loop, so its length
 * is limited.
 */
const BODY_BYTES_MAX = 128 * 1024

/**
 * Takes every body as text, whatever its type, in `request.bodyText`: it is forwarded byte for
 * byte.
 */
function takeBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX } as const
  app.addContentTypeParser('*', options, async (request: FastifyRequest, body: Buffer) => {
    if (!isUtf8(body)) throw new BodyNotTextError()
    request.bodyText = body.toString()
    checkValues(request.bodyText)
    return request.bodyText
  })
}

/** JSON and forms are UTF-8; other bytes could not be signed exactly as they are sent. */
class BodyNotTextError extends createError(
  'BODY_NOT_TEXT',
  'The body is not valid UTF-8. Nothing was sent',
  400,
) {
  readonly sent = false
}
