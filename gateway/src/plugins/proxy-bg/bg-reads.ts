import type { FastifyInstance } from 'fastify'
import type { BgAccountRow, bgGetAccountInfo } from 'schema'
import {
  bgAllPositions,
  bgFuturesDetail,
  bgFuturesHistory,
  bgFuturesTicker,
  bgSinglePosition,
  bgSpotHistory,
  bgSpotOrderbook,
  bgSpotOrderInfo,
  bgSpotTickers,
  type Endpoint,
  type QueryOf,
} from 'schema'
import {
  accountApiOf,
  type BitgetAccountApi,
  type BitgetCalls,
} from '../../exchanges/bitget/account-api.ts'
import {
  futuresTickerCall,
  spotOrderbookCall,
  spotTickersCall,
} from '../../exchanges/bitget/call.ts'
import { listOf, orderbook } from '../../exchanges/bitget/documented.ts'
import { documentedRead } from '../../http/handlers.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { routeOf } from '../../http/route.ts'
import type { RequestContext } from '../../upstream/request-context.ts'
import type { Upstream } from '../../upstream/upstream.ts'

/** The documented reads of market data, which are the same for every account. */
export const BG_MARKET_READS = [
  documentedRead(bgSpotTickers, spotTickersCall, listOf),
  documentedRead(bgFuturesTicker, futuresTickerCall, listOf),
  documentedRead(bgSpotOrderbook, spotOrderbookCall, orderbook),
]

/** The documented reads of the account. The balances are apart, because they cache its id. */
const ACCOUNT_READS = [
  accountRead(bgSpotOrderInfo, (api, calls, query) => api.spotOrder(calls, query)),
  accountRead(bgSpotHistory, (api, calls, query) => api.spotHistory(calls, query)),
  accountRead(bgFuturesDetail, (api, calls, query) => api.futuresOrder(calls, query)),
  accountRead(bgFuturesHistory, (api, calls, query) => api.futuresHistory(calls, query)),
  accountRead(bgAllPositions, (api, calls, query) => api.allPositions(calls, query)),
  accountRead(bgSinglePosition, (api, calls, query) => api.singlePosition(calls, query)),
]

interface AccountRead {
  readonly endpoint: Endpoint
  read(api: BitgetAccountApi, calls: BitgetCalls, query: unknown): Promise<unknown>
}

/** One row of the table of reads. */
function accountRead<const E extends Endpoint>(
  endpoint: E,
  read: (api: BitgetAccountApi, calls: BitgetCalls, query: QueryOf<E>) => Promise<unknown>,
): AccountRead {
  // The route's schema has already checked the query.
  return { endpoint, read: (api, calls, query) => read(api, calls, query as QueryOf<E>) }
}

/** Adds a route for each read of the account. The endpoint declares its class in the lane. */
export function addAccountReads(app: FastifyInstance, calls: BgCalls): void {
  for (const { endpoint, read } of ACCOUNT_READS) {
    app.route({
      ...routeOf(endpoint),
      handler: async (request, reply) => {
        const data = await calls.make(
          requestContextOf(request, reply),
          (api, bitget) => read(api, bitget, request.query),
          endpoint.proxy?.requestClass,
        )
        return { success: true, data }
      },
    })
  }
}

/** Makes the calls of a documented route for a client's kind of account. */
export class BgCalls {
  readonly #upstream: Pick<Upstream, 'ask' | 'inAccountKind' | 'accountKindOf'>
  readonly #nowMs: () => number

  constructor(
    upstream: Pick<Upstream, 'ask' | 'inAccountKind' | 'accountKindOf'>,
    nowMs: () => number,
  ) {
    this.#upstream = upstream
    this.#nowMs = nowMs
  }

  /** How the documented routes are written for the client's account. */
  async apiOf(context: RequestContext): Promise<BitgetAccountApi> {
    return accountApiOf(await this.#upstream.accountKindOf(context))
  }

  /**
   * Makes calls for the client's account; once more when it turns out to be of the other kind.
   * @param jobClass absent: the class of a read
   */
  make<T>(
    context: RequestContext,
    calls: (api: BitgetAccountApi, calls: BitgetCalls) => Promise<T>,
    jobClass?: Parameters<Upstream['ask']>[3],
  ): Promise<T> {
    const upstream = this.#upstream
    return upstream.inAccountKind(context, (kind) =>
      calls(accountApiOf(kind), {
        ask: (call, read) => upstream.ask(context, call, read, jobClass),
        nowMs: this.#nowMs,
      }),
    )
  }
}

/** At most this many account ids are cached, one per stored key. */
const ACCOUNT_IDS_MAX = 10_000

/**
 * Bitget's balances as the documented route shows them: in one list, each with the account's id.
 */
export class BgAccount {
  readonly #deps: { readonly upstream: Pick<Upstream, 'accountRefOf'>; readonly calls: BgCalls }
  readonly #idByKeys = new Map<number, string>()

  constructor(deps: {
    readonly upstream: Pick<Upstream, 'accountRefOf'>
    readonly calls: BgCalls
  }) {
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
