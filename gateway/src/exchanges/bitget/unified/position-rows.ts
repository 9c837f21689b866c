import { type ExchangeObject, objectsOf } from '../../protocol/response-parts.ts'
import { isRecord } from '../../protocol/untrusted.ts'

/** The fields that v2 names differently (docs/exchanges/bitget-unified.md, 5). */
const NAMES: Readonly<Record<string, string>> = {
  posSide: 'holdSide',
  frozen: 'locked',
  avgPrice: 'openPriceAvg',
  unrealisedPnl: 'unrealizedPL',
  curRealisedPnl: 'achievedProfits',
  mmr: 'keepMarginRate',
  // Uncertain: the pages do not say that the two are the same.
  positionBalance: 'marginSize',
  holdMode: 'posMode',
  createdTime: 'cTime',
  updatedTime: 'uTime',
}
const SAME = new Set([
  ...['symbol', 'total', 'available', 'leverage', 'marginMode', 'marginCoin'],
  ...['markPrice', 'liquidationPrice', 'breakEvenPrice'],
])

/**
 * The positions in the response of v3, in the fields of v2; the list is null when there are none.
 * What v3 does not have is absent: openDelegateSize, marginRatio, assetMode, autoMargin,
 * deductedFee, and the take profit and stop loss.
 */
export function positionRows(data: unknown): ExchangeObject[] {
  return objectsOf(isRecord(data) ? data.list : undefined).map((position) => ({
    marginCoin: 'USDT',
    ...Object.fromEntries(
      Object.entries(position).flatMap(([name, value]) => {
        const known = NAMES[name] ?? (SAME.has(name) ? name : undefined)
        return known === undefined ? [] : [[known, value]]
      }),
    ),
  }))
}
