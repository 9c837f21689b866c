import type { FastifyInstance } from 'fastify'
import { mxRawOrder, mxTickerPrice } from 'schema'
import { errandOf, sendAsIs } from '../../http/errand.ts'
import { routeOf } from '../../http/route.ts'
import type { Relay } from '../../relay/relay.ts'

export interface RawRoutesOptions {
  readonly relay: Pick<Relay, 'send'>
}

/** Calls in MEXC's own form: what comes goes on as it is, signed anew, and the answer comes back as it is. */
export async function rawRoutes(app: FastifyInstance, { relay }: RawRoutesOptions): Promise<void> {
  app.route({
    ...routeOf(mxTickerPrice),
    handler: async (request, reply) => {
      const { answer } = await relay.send(
        errandOf(request),
        {
          family: 'mexc-spot',
          method: 'GET',
          path: mxTickerPrice.path,
          query: [...new URLSearchParams(request.url.split('?')[1] ?? '')],
          body: null,
          signed: false,
        },
        { jobClass: 'market', raw: true },
      )
      return sendAsIs(reply, answer)
    },
  })

  app.route({
    ...routeOf(mxRawOrder),
    handler: async (request, reply) => {
      const { answer } = await relay.send(
        errandOf(request),
        {
          family: 'mexc-futures',
          method: 'POST',
          path: mxRawOrder.path,
          query: [],
          body: request.bodyText,
          signed: true,
        },
        { jobClass: 'order', raw: true },
      )
      return sendAsIs(reply, answer)
    },
  })
}
