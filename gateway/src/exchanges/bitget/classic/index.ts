import type { BgAccountRow, bgAllPositions, bgSinglePosition, QueryOf } from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import { decimalOf, recordsOf, textOf } from '../../protocol/untrusted.ts'
import type { BitgetAccountApi } from '../account-api.ts'
import { MARGIN_COIN, PRODUCT_TYPE, readCall } from '../call.ts'
import { accountIdOf, listOf, oneOrder } from '../documented.ts'
import {
  cancelFuturesOrderCall,
  cancelSpotOrderCall,
  futuresDetailCall,
  futuresHistoryCall,
  futuresOrderCall,
  leverageChange,
  leverageQuestion,
  modifyOrderCall,
  positionStopsCall,
  spotHistoryCall,
  spotOrderCall,
  spotOrderInfoCall,
} from './build-orders.ts'

/** Bitget's API v2: its fields are those of the documented routes. */
export const classicApi: BitgetAccountApi = {
  placeSpotOrder: spotOrderCall,
  cancelSpotOrder: cancelSpotOrderCall,
  placeFuturesOrder: futuresOrderCall,
  modifyFuturesOrder: modifyOrderCall,
  clientOidAfter: (_change, newClientOid) => newClientOid,
  cancelFuturesOrder: cancelFuturesOrderCall,
  idProblems: () => [],

  leverageQuestion,
  leverageChange,
  positionStops: positionStopsCall,

  spotOrder: ({ ask }, ref) => ask(spotOrderInfoCall(ref), oneOrder),
  spotHistory: ({ ask }, query) => ask(spotHistoryCall(query), listOf),
  futuresOrder: ({ ask }, ref) => ask(futuresDetailCall(ref), oneOrder),
  futuresHistory: ({ ask }, query) => ask(futuresHistoryCall(query), listOf),
  allPositions: ({ ask }, query) => ask(allPositionsCall(query), listOf),
  singlePosition: ({ ask }, query) => ask(singlePositionCall(query), listOf),

  accountId: ({ ask }) => ask(accountIdCall(), accountIdOf),
  async balances({ ask, nowMs }, accountId, accountType) {
    const spot =
      accountType === 'futures'
        ? []
        : await ask(spotAssetsCall(), (data) => spotRows(accountId, data, nowMs()))
    const futures =
      accountType === 'spot'
        ? []
        : await ask(futuresAccountsCall(), (data) => futuresRows(accountId, data, nowMs()))
    return [...spot, ...futures]
  },
}

/**
 * Who the account is: `userId` is asked once and remembered, because Bitget allows one call a
 * second.
 */
export function accountIdCall(): UpstreamCall {
  return readCall('/api/v2/spot/account/info', {})
}

export function spotAssetsCall(): UpstreamCall {
  return readCall('/api/v2/spot/account/assets', {})
}

export function futuresAccountsCall(): UpstreamCall {
  return readCall('/api/v2/mix/account/accounts', { productType: PRODUCT_TYPE })
}

export function allPositionsCall(query: QueryOf<typeof bgAllPositions>): UpstreamCall {
  const { productType = PRODUCT_TYPE, marginCoin } = query
  return readCall('/api/v2/mix/position/all-position', { productType, marginCoin })
}

export function singlePositionCall(query: QueryOf<typeof bgSinglePosition>): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = query
  return readCall('/api/v2/mix/position/single-position', { symbol, productType, marginCoin })
}

/**
 * Rows of the spot account from the response to `spotAssetsCall`. No call of Bitget's has the seven
 * fields together.
 * @param receivedAtMs Unix ms, for coins without a time of their own
 */
export function spotRows(accountId: string, data: unknown, receivedAtMs: number): BgAccountRow[] {
  return recordsOf(data).map((entry) => ({
    accountId,
    accountType: 'spot',
    coin: textOf(entry.coin) ?? '',
    available: decimalOf(entry.available) ?? '0',
    frozen: decimalOf(entry.frozen) ?? '0',
    locked: decimalOf(entry.locked) ?? '0',
    uTime: epochMsText(entry.uTime) ?? `${receivedAtMs}`,
  }))
}

/**
 * Rows of the futures account from the response to `futuresAccountsCall`. It has neither a frozen
 * amount nor a time.
 * @param receivedAtMs Unix ms
 */
export function futuresRows(
  accountId: string,
  data: unknown,
  receivedAtMs: number,
): BgAccountRow[] {
  return recordsOf(data).map((entry) => ({
    accountId,
    accountType: 'futures',
    coin: textOf(entry.marginCoin) ?? '',
    available: decimalOf(entry.available) ?? '0',
    frozen: '0',
    locked: decimalOf(entry.locked) ?? '0',
    uTime: `${receivedAtMs}`,
  }))
}

/**
 * Bitget writes this time in seconds on its pages and in ms elsewhere: ten digits are seconds until
 * the year 2286.
 */
function epochMsText(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined || !/^\d{10}(\d{3})?$/.test(text)) return undefined
  return text.length === 10 ? `${text}000` : text
}
