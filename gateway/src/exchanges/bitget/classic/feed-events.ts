import {
  type AccountEvent,
  amountAboveZero,
  amountOf,
  fillData,
  meaningOf,
  nameOf,
  needed,
  orderData,
  positionData,
  profitOf,
  type Row,
  timeOf,
  turnedFee,
} from '../../feed.ts'
import { termsOf } from '../../order-lookup/order-call.ts'
import type { OrderKey } from '../../order-lookup/order-key.ts'
import { product, quotient, sumOf } from '../../protocol/decimals.ts'
import { cleanWords, positiveOf, textOf, upperAscii } from '../../protocol/untrusted.ts'
import {
  BITGET_STATUSES,
  clientIdOf,
  feeDetailOf,
  liquidityOf,
  marginModeOf,
  orderIdOf,
  orderTypeOf,
  positionSideOf,
  sideOf,
  statusIn,
} from '../feed.ts'
import { planWords, words } from './find-order.ts'
import { ENDING } from './order-forms.ts'

// Makes events of v2 rows in the form of REST (docs/exchanges/streams.md, 4 and 6).

const key = (known: Partial<OrderKey>): OrderKey => ({
  ...{ exchange: 'bg', family: 'bitget', market: 'spot', action: 'place' },
  ...known,
})

const idOf = (clientOrderId: string | null) => (clientOrderId === null ? {} : { clientOrderId })

export function spotOrder(row: Row): AccountEvent {
  const symbol = needed(nameOf(row.symbol), 'symbol')
  const clientOrderId = clientIdOf(row)
  const side = sideOf(row.side)
  const orderType = orderTypeOf(row.orderType, row.force)
  const isInQuote = orderType === 'market' && side === 'buy'
  return {
    ...{ type: 'order', market: 'spot', timeMs: timeOf(row.uTime) },
    data: orderData({
      orderId: orderIdOf(row),
      clientOrderId,
      ...{ symbol, side, orderType },
      price: orderType === 'market' ? null : amountAboveZero(row.price),
      quantity: amountAboveZero(row.size),
      quantityUnit: isInQuote ? 'quote' : 'base',
      ...stateOf(row),
    }),
    key: key({ symbol, ...idOf(clientOrderId), terms: termsOf(words.terms, row) }),
  }
}

/** The same in all markets: a detail has `state`, everything else `status`. */
function stateOf(row: Row) {
  return {
    filledQuantity: amountOf(row.baseVolume),
    averagePrice: amountAboveZero(row.priceAvg),
    status: statusIn(BITGET_STATUSES, row.state ?? row.status),
    reason: cleanWords(row.cancelReason) || null,
  }
}

export function futuresOrder(row: Row, productType: string): AccountEvent {
  const symbol = needed(nameOf(row.symbol), 'symbol')
  const clientOrderId = clientIdOf(row)
  const orderType = orderTypeOf(row.orderType, row.force)
  return {
    ...{ type: 'order', market: 'futures', timeMs: timeOf(row.uTime) },
    data: orderData({
      orderId: orderIdOf(row),
      clientOrderId,
      ...{ symbol, orderType, ...directionOf(row) },
      price: orderType === 'market' ? null : amountAboveZero(row.price),
      quantity: amountAboveZero(row.size),
      quantityUnit: 'base',
      ...stateOf(row),
    }),
    key: key({
      ...{ market: 'futures', symbol, productType, ...idOf(clientOrderId) },
      terms: termsOf(words.terms, row),
    }),
  }
}

interface Direction {
  readonly side: 'buy' | 'sell' | null
  readonly positionSide: 'long' | 'short' | null
}

/**
 * In hedge mode `side` of an order names the position, whether it opens or closes it; what a close
 * really has there is not established [?], so it is not read.
 */
function directionOf({ side, posSide, posMode, tradeSide }: Row): Direction {
  const positionSide = positionSideOf(posSide)
  if (positionSide === null || posMode === 'one_way_mode')
    return { side: sideOf(side), positionSide: null }
  const does = actOf(tradeSide)
  if (does === null) return { side: null, positionSide }
  return { side: (positionSide === 'long') === (does === 'open') ? 'buy' : 'sell', positionSide }
}

/** One-way mode has values such as `buy_single`. */
function actOf(tradeSide: unknown): 'open' | 'close' | null {
  const word = textOf(tradeSide)?.toLowerCase() ?? ''
  if (word.includes('close')) return 'close'
  return word.includes('open') ? 'open' : null
}

/** A sample of the feed has a fee that was paid as positive, and REST as negative [?]. */
export function spotFill(row: Row): AccountEvent {
  const fee = feeDetailOf(row.feeDetail)
  return {
    ...{ type: 'fill', market: 'spot', timeMs: timeOf(row.cTime, row.uTime) },
    data: fillData({
      fillId: needed(nameOf(row.tradeId), 'fill id'),
      orderId: orderIdOf(row),
      clientOrderId: clientIdOf(row),
      symbol: needed(nameOf(row.symbol ?? row.instId), 'symbol'),
      side: sideOf(row.side),
      price: amountAboveZero(row.priceAvg ?? row.price),
      quantity: needed(amountAboveZero(row.size ?? row.baseVolume) ?? undefined, 'quantity'),
      quantityUnit: 'base',
      fee: amountOf(fee.totalFee)?.replace('-', '') ?? null,
      feeCurrency: nameOf(fee.feeCoin) ?? null,
      liquidity: liquidityOf(row.tradeScope),
    }),
  }
}

/**
 * A sample of REST has the symbol in small letters.
 * @param names what `side` is in hedge mode: of a push the direction of the trade, and of REST the
 * position
 */
export function futuresFill(row: Row, names: 'trade' | 'position'): AccountEvent {
  const fee = feeDetailOf(row.feeDetail)
  const liquidity = liquidityOf(row.tradeScope)
  const quantity = needed(amountAboveZero(row.baseVolume ?? row.size) ?? undefined, 'quantity')
  return {
    ...{ type: 'fill', market: 'futures', timeMs: timeOf(row.cTime, row.uTime) },
    data: fillData({
      fillId: needed(nameOf(row.tradeId), 'fill id'),
      orderId: orderIdOf(row),
      clientOrderId: clientIdOf(row),
      symbol: needed(upperAscii(nameOf(row.symbol ?? row.instId)), 'symbol'),
      ...fillDirectionOf(row, names),
      price: fillPriceOf(row, quantity),
      quantity,
      quantityUnit: 'base',
      fee: turnedFee(fee.totalFee ?? fee.fee, liquidity),
      feeCurrency: nameOf(fee.feeCoin) ?? null,
      liquidity,
      realizedPnl: profitOf(row.profit),
    }),
  }
}

function fillDirectionOf({ side, tradeSide, posMode }: Row, names: 'trade' | 'position') {
  const word = sideOf(side)
  const does = posMode === 'one_way_mode' ? null : actOf(tradeSide)
  if (word === null || does === null) return { side: word, positionSide: null }
  const isTurned = does === 'close'
  const opposite = word === 'buy' ? 'sell' : 'buy'
  const named = isTurned ? opposite : word
  const [trade, position] = names === 'trade' ? [word, named] : [named, word]
  return { side: trade, positionSide: position === 'buy' ? ('long' as const) : ('short' as const) }
}

/** How far the price may differ from that of the amounts, which are rounded. */
const PRICE_ERROR = 0.001

/**
 * The page calls the field the price of the order [?]: where the amounts say another one, theirs
 * counts.
 */
function fillPriceOf({ price, quoteVolume }: Row, quantity: string): string | null {
  const value = positiveOf(quoteVolume)
  const paid = value === undefined ? undefined : quotient(value, quantity)
  const named = amountAboveZero(price)
  if (paid === undefined || paid === '0') return named
  if (named === null) return paid
  const error = Math.abs(Number(product(named, quantity)) / Number(value) - 1)
  return error > PRICE_ERROR ? paid : named
}

export function positionEvent(row: Row, productType: string): AccountEvent {
  return {
    ...{ type: 'position', market: 'futures', timeMs: timeOf(row.uTime), productType },
    data: positionData({
      symbol: needed(nameOf(row.symbol), 'symbol'),
      side: needed(positionSideOf(row.holdSide) ?? undefined, 'side'),
      quantity: needed(amountOf(row.total) ?? undefined, 'quantity'),
      entryPrice: amountAboveZero(row.openPriceAvg),
      leverage: amountAboveZero(row.leverage),
      marginMode: marginModeOf(row.marginMode),
      unrealizedPnl: amountOf(row.unrealizedPL),
      liquidationPrice: amountAboveZero(row.liquidationPrice),
    }),
  }
}

/** Pushed with fills and transfers: the amount held by a new order may be missing. */
export function balanceEvent(
  row: Row,
  productType: string | undefined,
  sentAtMs: unknown,
): AccountEvent {
  const isSpot = productType === undefined
  const held = [row.frozen, isSpot ? row.locked : undefined].flatMap((one) => amountOf(one) ?? [])
  return {
    type: 'balance',
    market: isSpot ? 'spot' : 'futures',
    timeMs: timeOf(row.uTime, sentAtMs),
    data: {
      asset: needed(nameOf(isSpot ? row.coin : row.marginCoin), 'coin'),
      available: needed(amountOf(row.available) ?? undefined, 'available amount'),
      locked: sumOf(held),
      total: isSpot ? null : amountOf(row.equity),
    },
  }
}

/** The values of pushes for those of REST. A push without a value means the first. */
const PLAN_TYPES: Readonly<Record<string, string>> = {
  ...{ '': 'normal_plan', pl: 'normal_plan', track: 'track_plan', tp: 'profit_plan' },
  ...{ sl: 'loss_plan', ptp: 'pos_profit', psl: 'pos_loss', mtpsl: 'moving_plan' },
}

const TRIGGER_STATUSES = {
  live: 'open',
  not_trigger: 'open',
  executing: 'open',
  executed: 'filled',
  fail_execute: 'canceled',
  cancelled: 'canceled',
} as const

/**
 * Filled: its price has come. What that filled, the order has that it made.
 * @param productType undefined: of spot
 */
export function triggerEvent(row: Row, productType: string | undefined): AccountEvent {
  const symbol = needed(nameOf(row.symbol), 'symbol')
  const clientOrderId = clientIdOf(row)
  const planType = textOf(row.planType)?.toLowerCase() ?? ''
  const isMarket = textOf(row.orderType)?.toLowerCase() === 'market'
  const plan = productType === undefined ? { plan: 'spot' } : futuresPlan(productType, planType)
  return {
    ...{ type: 'order', timeMs: timeOf(row.uTime, row.cTime) },
    market: productType === undefined ? 'spot' : 'futures',
    data: orderData({
      orderId: orderIdOf(row),
      clientOrderId,
      symbol,
      ...directionOf(row),
      orderType: 'trigger',
      price: isMarket ? null : amountAboveZero(row.executePrice ?? row.price),
      quantity: amountAboveZero(row.size),
      // Of spot: the size is in the base coin as `amount`.
      quantityUnit: planType === 'total' ? 'quote' : 'base',
      status: statusIn(TRIGGER_STATUSES, row.planStatus ?? row.status),
    }),
    key: key({
      ...{ symbol, ...idOf(clientOrderId), ...plan },
      terms: termsOf(planWords.terms, row),
    }),
  }
}

/** The list that it is in, and the type by which it is cancelled. */
function futuresPlan(productType: string, word: string): Partial<OrderKey> {
  const planType = meaningOf(PLAN_TYPES, word) ?? word
  const isPlan = planType === 'normal_plan' || planType === 'track_plan'
  const plan = isPlan ? { plan: planType } : { plan: ENDING, planType }
  return { market: 'futures', productType, ...plan }
}
