import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type BotCall,
  isNamedByBot,
  isRepeatable,
  jobClassOf,
  nameBotOrders,
  payloadOf,
  readBotCall,
} from '../../exchanges/bot-call.ts'
import { isTimeCall, timeResponse } from '../../exchanges/time.ts'
import type { OrderHandler } from '../../http/order-handler.ts'
import { requestContextOf, sendAsIs } from '../../http/request-context.ts'
import { foundRawResponse } from '../../orders/found-response.ts'
import type { OrderSteps } from '../../orders/order-request.ts'
import { type StoredResponse, toStoredResponse } from '../../upstream/stored-response.ts'
import type { Upstream } from '../../upstream/upstream.ts'

/**
 * Handles a call on an exchange's own path: the request is forwarded unchanged with a new
 * signature, and the response is returned unchanged.
 */
export function createDropInHandler(
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
