import { sumOf } from '../../protocol/decimals.ts'
import type { ExchangeObject } from '../../protocol/response-parts.ts'
import { decimalOf, positiveOf, recordsOf, textOf } from '../../protocol/untrusted.ts'

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
