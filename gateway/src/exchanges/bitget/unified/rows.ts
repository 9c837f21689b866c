import type { BgAccountRow } from 'schema'
import { sumOf } from '../../protocol/decimals.ts'
import { type ExchangeObject, objectsOf, orderOf } from '../../protocol/response-parts.ts'
import { decimalOf, isRecord, positiveOf, recordsOf, textOf } from '../../protocol/untrusted.ts'

// Orders of v3 in the fields of v2 (docs/exchanges/bitget-unified.md, 5 to 7). What v3 does not
// have is absent: leverage, totalProfits, userId, enterPointSource, orderSource.

/** An order of the spot market, in the detail and in the history. */
export function spotOrderRow(order: ExchangeObject): ExchangeObject {
  return withoutAbsent({
    ...commonRow(order),
    side: order.side,
    status: stateOf(order, 'cancelled'),
    feeDetail: feeText(order),
    presetTakeProfitPrice: order.takeProfit ?? '',
    presetStopLossPrice: order.stopLoss ?? '',
  })
}

/** The detail of a futures order, whose state is in `state`. */
export function futuresDetail(order: ExchangeObject): ExchangeObject {
  return withoutAbsent({ ...futuresRow(order), state: stateOf(order, 'canceled') })
}

/** A futures order in the history, whose state is in `status`. */
export function futuresListed(order: ExchangeObject): ExchangeObject {
  return withoutAbsent({ ...futuresRow(order), status: stateOf(order, 'canceled') })
}

function futuresRow(order: ExchangeObject): ExchangeObject {
  return {
    ...commonRow(order),
    ...directionOf(order),
    // v2 writes an empty text while nothing has traded.
    priceAvg: positiveOf(order.avgPrice) ?? '',
    fee: sumOf(recordsOf(order.feeDetail).flatMap(({ fee }) => decimalOf(fee) ?? [])),
    marginCoin: 'USDT',
    marginMode: order.marginMode,
    reduceOnly: textOf(order.reduceOnly)?.toUpperCase(),
    posMode: order.holdMode,
    presetStopSurplusPrice: order.takeProfit ?? '',
    presetStopLossPrice: order.stopLoss ?? '',
  }
}

function commonRow(order: ExchangeObject): ExchangeObject {
  return {
    symbol: order.symbol,
    orderId: order.orderId,
    clientOid: order.clientOid,
    orderType: order.orderType,
    price: order.price,
    size: sizeOf(order),
    baseVolume: order.cumExecQty,
    quoteVolume: order.cumExecValue,
    priceAvg: order.avgPrice,
    force: order.timeInForce,
    cancelReason: order.cancelReason,
    cTime: order.createdTime,
    uTime: order.updatedTime,
  }
}

/** The size of a spot market buy is its quote amount. */
function sizeOf({ qty, amount }: ExchangeObject): unknown {
  return Number(textOf(qty) ?? 0) === 0 && amount !== undefined && amount !== '' ? amount : qty
}

/**
 * v3 writes `live` and then `new`, once the matching engine has the order; v2 has `live` for both.
 */
function stateOf({ orderStatus }: ExchangeObject, cancelled: string): unknown {
  switch (orderStatus) {
    case 'new':
      return 'live'
    case 'cancelled':
    case 'canceled':
      return cancelled
    default:
      return orderStatus
  }
}

/**
 * In hedge mode v2 names the side of the position, and whether the order opens or closes it. What
 * v2 itself writes for an order that closes is not established (docs/exchanges/bitget-unified.md,
 * 7).
 */
function directionOf({ side, posSide, tradeSide, holdMode }: ExchangeObject): ExchangeObject {
  if (posSide !== 'long' && posSide !== 'short') {
    return { side, tradeSide, posSide: textOf(posSide) ?? 'net' }
  }
  if (holdMode === 'one_way_mode') return { side, tradeSide, posSide: 'net' }
  const isLong = posSide === 'long'
  return {
    side: isLong ? 'buy' : 'sell',
    tradeSide: (side === 'buy') === isLong ? 'open' : 'close',
    posSide,
  }
}

/** The fees of a spot order as v2 writes them: a text of JSON, by coin. */
function feeText({ feeDetail }: ExchangeObject): string {
  const fees = recordsOf(feeDetail).flatMap(({ feeCoin, fee }) => {
    const coin = textOf(feeCoin)
    const totalFee = decimalOf(fee)
    return coin === undefined || totalFee === undefined
      ? []
      : [[coin, { feeCoinCode: coin, totalFee }] as const]
  })
  return fees.length === 0 ? '' : JSON.stringify(Object.fromEntries(fees))
}

function withoutAbsent(row: ExchangeObject): ExchangeObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
}

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

interface BalancesOf {
  readonly accountId: string
  readonly accountType: BgAccountRow['accountType']
  /** Unix ms: the coins have no time of their own. */
  readonly nowMs: number
}

/**
 * A row for each coin of the one pot. What v3 calls locked is what spot orders hold, which v2 calls
 * frozen (docs/exchanges/bitget-unified.md, 5).
 */
export function balanceRows(
  { accountId, accountType, nowMs }: BalancesOf,
  data: unknown,
): BgAccountRow[] {
  return recordsOf(isRecord(data) ? data.assets : undefined).map((entry) => ({
    accountId,
    accountType,
    coin: textOf(entry.coin) ?? '',
    available: decimalOf(entry.available) ?? '0',
    frozen: decimalOf(entry.locked) ?? '0',
    locked: '0',
    uTime: `${nowMs}`,
  }))
}

/**
 * One order in the response to `orderInfoCall`. v3 finds an order by its id in every market; an
 * order of another category or symbol counts as not found.
 * @throws ExchangeRejectedError when there is no such order
 */
export function oneOrderOf(
  data: unknown,
  wanted: Readonly<Record<string, string>>,
): ExchangeObject {
  const isOther = Object.entries(wanted).some(
    ([name, value]) => isRecord(data) && name in data && data[name] !== value,
  )
  return orderOf('Bitget', isOther ? undefined : data)
}
