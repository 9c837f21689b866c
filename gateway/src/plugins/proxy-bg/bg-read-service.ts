import type {
  BgAccountRow,
  BgOrderbook,
  bgAllPositions,
  bgFuturesDetail,
  bgFuturesHistory,
  bgFuturesTicker,
  bgGetAccountInfo,
  bgSinglePosition,
  bgSpotHistory,
  bgSpotOrderbook,
  bgSpotOrderInfo,
  bgSpotTickers,
  QueryOf,
} from 'schema'
import * as account from '../../exchanges/bitget/account-calls.ts'
import { accountIdOf, futuresRows, spotRows } from '../../exchanges/bitget/account-rows.ts'
import { futuresDetailCall, futuresHistoryCall } from '../../exchanges/bitget/futures-calls.ts'
import * as market from '../../exchanges/bitget/market-calls.ts'
import { listOf, oneOrder, orderbook } from '../../exchanges/bitget/results.ts'
import { spotHistoryCall, spotOrderInfoCall } from '../../exchanges/bitget/spot-calls.ts'
import type { UpstreamCall } from '../../exchanges/exchange.ts'
import type { ExchangeObject } from '../../exchanges/protocol/response-parts.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { Errand } from '../../upstream/request-context.ts'

export interface BgReadServiceDeps {
  readonly relay: Pick<Relay, 'ask' | 'keysIdOf'>
  readonly nowMs: () => number
}

/** Account ids that are remembered; one per stored key. */
const ACCOUNT_IDS_MAX = 10_000

/** What Bitget tells: about an account, and about the market. */
export function createBgReadService({ relay, nowMs }: BgReadServiceDeps) {
  const accountIds = new Map<number, string>()
  const ask = <T>(errand: Errand, call: UpstreamCall, read: (data: unknown) => T) =>
    relay.ask(errand, call, read)

  async function accountId(errand: Errand): Promise<string> {
    const keysId = await relay.keysIdOf(errand)
    const known = accountIds.get(keysId)
    if (known !== undefined) return known
    const id = await ask(errand, account.accountIdCall(), accountIdOf)
    if (accountIds.size >= ACCOUNT_IDS_MAX) accountIds.clear()
    accountIds.set(keysId, id)
    return id
  }

  return {
    async accountInfo(
      errand: Errand,
      { accountType }: QueryOf<typeof bgGetAccountInfo>,
    ): Promise<BgAccountRow[]> {
      const id = await accountId(errand)
      const spot =
        accountType === 'futures'
          ? []
          : await ask(errand, account.spotAssetsCall(), (data) => spotRows(id, data, nowMs()))
      const futures =
        accountType === 'spot'
          ? []
          : await ask(errand, account.futuresAccountsCall(), (data) =>
              futuresRows(id, data, nowMs()),
            )
      return [...spot, ...futures]
    },

    spotOrder: (errand: Errand, ref: QueryOf<typeof bgSpotOrderInfo>): Promise<ExchangeObject> =>
      ask(errand, spotOrderInfoCall(ref), oneOrder),

    futuresOrder: (errand: Errand, ref: QueryOf<typeof bgFuturesDetail>): Promise<ExchangeObject> =>
      ask(errand, futuresDetailCall(ref), oneOrder),

    spotHistory: (errand: Errand, query: QueryOf<typeof bgSpotHistory>) =>
      ask(errand, spotHistoryCall(query), listOf),

    futuresHistory: (errand: Errand, query: QueryOf<typeof bgFuturesHistory>) =>
      ask(errand, futuresHistoryCall(query), listOf),

    allPositions: (errand: Errand, query: QueryOf<typeof bgAllPositions>) =>
      ask(errand, account.allPositionsCall(query), listOf),

    singlePosition: (errand: Errand, query: QueryOf<typeof bgSinglePosition>) =>
      ask(errand, account.singlePositionCall(query), listOf),

    spotTickers: (errand: Errand, query: QueryOf<typeof bgSpotTickers>) =>
      ask(errand, market.spotTickersCall(query), listOf),

    futuresTicker: (errand: Errand, query: QueryOf<typeof bgFuturesTicker>) =>
      ask(errand, market.futuresTickerCall(query), listOf),

    async orderbook(
      errand: Errand,
      query: QueryOf<typeof bgSpotOrderbook>,
    ): Promise<BgOrderbook['data']> {
      return ask(errand, market.spotOrderbookCall(query), orderbook)
    },
  }
}
export type BgReadService = ReturnType<typeof createBgReadService>
