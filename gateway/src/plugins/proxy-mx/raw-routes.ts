import type { FastifyInstance } from 'fastify'
import { mxRawOrder, mxTickerPrice } from 'schema'
import { withClientOrderId } from '../../exchanges/order-trace.ts'
import { errandOf, sendAsIs } from '../../http/errand.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import type { Trade } from '../../http/trade-handler.ts'
import { toStoredAnswer } from '../../relay/answer.ts'
import type { Relay } from '../../relay/relay.ts'

export interface RawRoutesOptions {
  readonly relay: Pick<Relay, 'askRaw' | 'tradeRaw'>
  readonly trade: Trade
}

/** Calls in MEXC's own form: what comes goes on as it is, signed anew, and the answer comes back as it is. */
export async function rawRoutes(
  app: FastifyInstance,
  { relay, trade }: RawRoutesOptions,
): Promise<void> {
  // The schemas are for the documentation: what the exchange would accept is not refused here.
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))

  app.route({
    ...routeOf(mxTickerPrice),
    handler: async (request, reply) => {
      const { answer } = await relay.askRaw(errandOf(request), {
        family: 'mexc-spot',
        method: 'GET',
        path: mxTickerPrice.path,
        query: request.url.split('?')[1] ?? '',
        body: null,
        signed: false,
      })
      return sendAsIs(reply, answer)
    },
  })

  app.route({
    ...textRouteOf(mxRawOrder),
    handler: (request, reply) =>
      trade(request, reply, async (errand) => {
        const call = withClientOrderId(
          {
            family: 'mexc-futures',
            method: 'POST',
            path: mxRawOrder.path,
            query: '',
            body: request.bodyText,
            signed: true,
          },
          errand.ticket.clientOrderId,
        )
        const { answer } = await relay.tradeRaw(errand, call, 'order')
        return toStoredAnswer(answer)
      }),
  })
}
