import type { FastifyReply, FastifyRequest } from 'fastify'
import { nameBotOrders, payloadOf, readBotCall } from '../../exchanges/bot-call.ts'
import { isTimeCall, timeResponse } from '../../exchanges/time.ts'
import { errandOf, sendAsIs } from '../../http/errand.ts'
import type { Trade } from '../../http/trade-handler.ts'
import type { Relay } from '../../upstream/relay.ts'
import { toStoredAnswer } from '../../upstream/stored-response.ts'

/** Answers a call of the exchange's own: what comes goes on as it is, signed anew, and the answer comes back as it is. */
export function createDropInHandler(
  relay: Pick<Relay, 'askRaw' | 'tradeRaw' | 'timeMs'>,
  trade: Trade,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { rawCall } = request
    if (rawCall === null) throw new Error(`${request.url} was not matched with the policy`)
    const bot = readBotCall(rawCall, request.bodyText, request.headers['content-type'])
    const { kind, call } = bot
    if (kind === 'order' || kind === 'cancel')
      return trade(
        request,
        reply,
        async (errand) => {
          const named = nameBotOrders(bot, errand.ticket.clientOrderId)
          const { answer } = await relay.tradeRaw(errand, named, kind)
          return toStoredAnswer(answer)
        },
        payloadOf(bot),
      )
    // SDKs measure their clock by this call: an answer from the measured clock is right, one that waited in the queue is not.
    const nowMs = isTimeCall(call) ? await relay.timeMs() : undefined
    if (nowMs !== undefined) return reply.send(timeResponse(call.family, nowMs))
    const { answer } = await relay.askRaw(errandOf(request), call)
    return sendAsIs(reply, answer)
  }
}
