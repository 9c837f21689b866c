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
import type { ExchangeObject } from '../../exchanges/answer-parts.ts'
import * as account from '../../exchanges/bitget/account-calls.ts'
import { accountIdOf, futuresRows, spotRows } from '../../exchanges/bitget/account-rows.ts'
import { listOf, oneOrder, orderbook } from '../../exchanges/bitget/answers.ts'
import { futuresDetailCall, futuresHistoryCall } from '../../exchanges/bitget/futures-calls.ts'
import * as market from '../../exchanges/bitget/market-calls.ts'
import { spotHistoryCall, spotOrderInfoCall } from '../../exchanges/bitget/spot-calls.ts'
import type { UpstreamCall } from '../../exchanges/exchange.ts'
import type { Errand, Relay } from '../../relay/relay.ts'

export interface BgReadServiceDeps {
  readonly relay: Pick<Relay, 'ask' | 'keysIdOf'>
  readonly nowMs: () => number
}

/** Account ids that are remembered; one per stored key. */
const ACCOUNT_IDS_MAX = 10_000

/** What Bitget tells: about an account, and about the market. */
export function createBgReadService({ relay, nowMs }: BgReadServiceDeps) {
  const accountIds = new Map<number, string>()
  const ask = (errand: Errand, call: UpstreamCall) =>
    relay.ask(errand, call, { jobClass: call.signed ? 'account' : 'market' })
  const askList = async (errand: Errand, call: UpstreamCall) => listOf(await ask(errand, call))
  const askOne = async (errand: Errand, call: UpstreamCall) => oneOrder(await ask(errand, call))

  async function accountId(errand: Errand): Promise<string> {
    const keysId = await relay.keysIdOf(errand)
    const known = accountIds.get(keysId)
    if (known !== undefined) return known
    const id = accountIdOf(await ask(errand, account.accountIdCall()))
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
          : spotRows(id, await ask(errand, account.spotAssetsCall()), nowMs())
      const futures =
        accountType === 'spot'
          ? []
          : futuresRows(id, await ask(errand, account.futuresAccountsCall()), nowMs())
      return [...spot, ...futures]
    },

    spotOrder: (errand: Errand, ref: QueryOf<typeof bgSpotOrderInfo>): Promise<ExchangeObject> =>
      askOne(errand, spotOrderInfoCall(ref)),

    futuresOrder: (errand: Errand, ref: QueryOf<typeof bgFuturesDetail>): Promise<ExchangeObject> =>
      askOne(errand, futuresDetailCall(ref)),

    spotHistory: (errand: Errand, query: QueryOf<typeof bgSpotHistory>) =>
      askList(errand, spotHistoryCall(query)),

    futuresHistory: (errand: Errand, query: QueryOf<typeof bgFuturesHistory>) =>
      askList(errand, futuresHistoryCall(query)),

    allPositions: (errand: Errand, query: QueryOf<typeof bgAllPositions>) =>
      askList(errand, account.allPositionsCall(query)),

    singlePosition: (errand: Errand, query: QueryOf<typeof bgSinglePosition>) =>
      askList(errand, account.singlePositionCall(query)),

    spotTickers: (errand: Errand, query: QueryOf<typeof bgSpotTickers>) =>
      askList(errand, market.spotTickersCall(query)),

    futuresTicker: (errand: Errand, query: QueryOf<typeof bgFuturesTicker>) =>
      askList(errand, market.futuresTickerCall(query)),

    async orderbook(
      errand: Errand,
      query: QueryOf<typeof bgSpotOrderbook>,
    ): Promise<BgOrderbook['data']> {
      return orderbook(await ask(errand, market.spotOrderbookCall(query)))
    },
  }
}
export type BgReadService = ReturnType<typeof createBgReadService>
