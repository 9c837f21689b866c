import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bgGetAccountInfo } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { DemoNotHereError } from '../../exchanges/protocol/errors.ts'
import { addReadRoutes, createOrderHandler } from '../../http/handlers.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { routeOf } from '../../http/route.ts'
import { bgOrderRoutes } from './bg-orders.ts'
import { addAccountReads, BG_MARKET_READS, BgAccount, BgCalls } from './bg-reads.ts'

/** The documented routes of Bitget. */
export const proxyBg: FastifyPluginAsyncTypebox<
  Pick<Parts, 'exchanges' | 'nowMs' | 'orders'>
> = async (app, { exchanges: { rules, upstreams }, nowMs, orders }) => {
  const upstream = upstreams.bg
  app.addHook('preValidation', ({ headers }, _reply, done) => {
    done(headers.paptrading === undefined ? undefined : new DemoNotHereError())
  })
  const handleOrder = createOrderHandler('bg', orders.placeOrder)
  const calls = new BgCalls(upstream, nowMs)
  await app.register(bgOrderRoutes, { calls, rules, handleOrder })
  addReadRoutes(app, upstream, BG_MARKET_READS)
  addAccountReads(app, calls)

  const account = new BgAccount({ upstream, calls })
  app.route({
    ...routeOf(bgGetAccountInfo),
    handler: async (request, reply) => ({
      success: true,
      data: await account.rows(requestContextOf(request, reply), request.query),
    }),
  })
}
