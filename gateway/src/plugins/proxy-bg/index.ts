import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type BgAccountRow, bgGetAccountInfo, type QueryOf } from 'schema'
import { DemoNotHereError } from '../../exchanges/protocol/errors.ts'
import { createOrderHandler } from '../../http/order-handler.ts'
import { addReadRoutes } from '../../http/reads.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { routeOf } from '../../http/route.ts'
import type { PlaceOrder } from '../../orders/place-order.ts'
import type { RequestContext } from '../../upstream/request-context.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { BgCalls } from './bg-calls.ts'
import { bgOrderRoutes } from './bg-order-routes.ts'
import { addAccountReads, BG_MARKET_READS } from './bg-reads.ts'

export interface ProxyOptions {
  readonly upstream: Upstream
  readonly rules: RulesCache
  readonly placeOrder: PlaceOrder
  readonly nowMs: () => number
}

/** The documented routes of Bitget. */
export const proxyBg: FastifyPluginAsyncTypebox<ProxyOptions> = async (app, options) => {
  const { upstream, rules, placeOrder, nowMs } = options
  app.addHook('preValidation', ({ headers }, _reply, done) => {
    done(headers.paptrading === undefined ? undefined : new DemoNotHereError())
  })
  const handleOrder = createOrderHandler('bg', placeOrder)
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

interface BgAccountDeps {
  readonly upstream: Pick<Upstream, 'accountRefOf'>
  readonly calls: BgCalls
}

/** At most this many account ids are cached, one per stored key. */
const ACCOUNT_IDS_MAX = 10_000

/**
 * Bitget's balances as the documented route shows them: in one list, each with the account's id.
 */
class BgAccount {
  readonly #deps: BgAccountDeps
  readonly #idByKeys = new Map<number, string>()

  constructor(deps: BgAccountDeps) {
    this.#deps = deps
  }

  async rows(
    context: RequestContext,
    { accountType }: QueryOf<typeof bgGetAccountInfo>,
  ): Promise<BgAccountRow[]> {
    const id = await this.#accountId(context)
    return this.#deps.calls.make(context, (api, calls) => api.balances(calls, id, accountType))
  }

  async #accountId(context: RequestContext): Promise<string> {
    const { upstream, calls } = this.#deps
    const keysId = await upstream.accountRefOf(context)
    const known = this.#idByKeys.get(keysId)
    if (known !== undefined) return known
    const id = await calls.make(context, (api, bitget) => api.accountId(bitget))
    if (this.#idByKeys.size >= ACCOUNT_IDS_MAX) this.#idByKeys.clear()
    this.#idByKeys.set(keysId, id)
    return id
  }
}
