import type { FastifyReply, FastifyRequest } from 'fastify'
import { type BotCall, nameBotOrders, payloadOf, readBotCall } from '../../exchanges/bot-call.ts'
import { isTimeCall, timeResponse } from '../../exchanges/time.ts'
import type { OrderHandler } from '../../http/order-handler.ts'
import { requestContextOf, sendAsIs } from '../../http/request-context.ts'
import { foundRawResponse } from '../../orders/found-response.ts'
import type { OrderSteps } from '../../orders/order-request.ts'
import { type StoredResponse, toStoredResponse } from '../../upstream/stored-response.ts'
import type { Upstream } from '../../upstream/upstream.ts'

/** Handles a call of the exchange's own: what comes is passed on as it is, signed anew, and so is the response. */
export function createDropInHandler(
  upstream: Pick<Upstream, 'askRaw' | 'time'>,
  handleOrder: OrderHandler,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { rawCall } = request
    if (rawCall === null) throw new Error(`${request.url} was not matched with the policy`)
    const bot = readBotCall(rawCall, request.bodyText, request.headers['content-type'])
    const { kind, call } = bot
    if (kind === 'order' || kind === 'cancel')
      return handleOrder(request, reply, {
        jobClass: kind,
        payload: payloadOf(bot),
        stepsFor: (clientOrderId) => rawSteps(bot, clientOrderId),
      })
    // SDKs measure their clock by this call: the time of a response that waited in the queue would be wrong.
    const nowMs = isTimeCall(call) ? await upstream.time.nowMs() : undefined
    if (nowMs !== undefined) return reply.send(timeResponse(call.family, nowMs))
    const { response } = await upstream.askRaw(requestContextOf(request), call)
    return sendAsIs(reply, response)
  }
}

/** The exchange's response is the result. */
function rawSteps(bot: BotCall, clientOrderId: string): OrderSteps<StoredResponse> {
  return {
    raw: true,
    build: () => nameBotOrders(bot, clientOrderId),
    read: (_data, response) => toStoredResponse(response),
    fromFound: foundRawResponse,
    respond: (response) => response,
  }
}
