import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamCall } from '../../exchanges/exchange.ts'
import { checkBatchSize } from '../../exchanges/order-lookup/order-entries.ts'
import { withClientOrderId } from '../../exchanges/order-lookup/with-client-order-id.ts'
import { parseLossless } from '../../exchanges/protocol/lossless.ts'
import { targetOf } from '../../exchanges/protocol/query-text.ts'
import { isRecord } from '../../exchanges/protocol/untrusted.ts'
import { withRawBody } from '../../exchanges/raw-call.ts'
import { errandOf, sendAsIs } from '../../http/errand.ts'
import type { Payload, Trade } from '../../http/trade-handler.ts'
import { timeAnswer, timeCall } from '../../upstream/clock.ts'
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
    const { kind } = rawCall
    const call = withRawBody(rawCall.call, request.bodyText, request.headers['content-type'])
    if (kind === 'order' || kind === 'cancel') {
      checkBatchSize(call)
      return trade(
        request,
        reply,
        async (errand) => {
          const named = withClientOrderId(call, errand.ticket.clientOrderId)
          const { answer } = await relay.tradeRaw(errand, named, kind)
          return toStoredAnswer(answer)
        },
        payloadOf(call),
      )
    }
    // SDKs measure their clock by this call: an answer from the measured clock is right, one that waited in the queue is not.
    const nowMs = isTimeCall(call) ? await relay.timeMs() : undefined
    if (nowMs !== undefined) return reply.send(timeAnswer(call.family, nowMs))
    const { answer } = await relay.askRaw(errandOf(request), call)
    return sendAsIs(reply, answer)
  }
}

/** For Bitget's unified account; the answer has the same form. */
const UNIFIED_TIME = '/api/v3/public/time'

function isTimeCall({ family, method, path }: UpstreamCall): boolean {
  return method === 'GET' && (path === timeCall(family).path || path === UNIFIED_TIME)
}

/** Without the bot's signature and time, which differ in a retry. An order for the demo account is another one. */
function payloadOf({ family, path, query, body, demo }: UpstreamCall): Payload {
  const url = targetOf(path, query)
  const value = parseLossless(body ?? '')?.value ?? body
  return {
    url: demo === true ? `${url} paptrading` : url,
    body: family === 'bitget' && isRecord(value) ? withoutWindow(value) : value,
  }
}

/** Until when Bitget may take the call (docs/exchanges/bitget.md, 2): it passes, and is another in each try. */
function withoutWindow({ requestTime: _, receiveWindow: __, ...rest }: Record<string, unknown>) {
  return rest
}
