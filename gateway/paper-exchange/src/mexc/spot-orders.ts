import { randomUUID } from 'node:crypto'
import { fieldNames } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedDelete, signedGet, signedPost } from '../family.ts'
import type { Market } from '../market.ts'
import type { Force, SpotDraft, SpotOrder } from '../spot-book.ts'
import {
  badSymbol,
  duplicateOrder,
  orderNotFound,
  orderWeight,
  SpotRejection,
  signedWeight,
  spotProblems,
  unknownOrderSent,
} from './spot-family.ts'
import {
  ORDER_ID_PREFIX,
  orderIdOf,
  spotMarketNamed,
  spotMarkets,
  toOrderView,
} from './spot-views.ts'

/** With what Binance has, and programs that were written for it send. */
const ORDER_FIELDS = fieldNames(
  'symbol side type quantity quoteOrderQty price newClientOrderId stpMode',
  'timestamp recvWindow signature timeInForce newOrderRespType',
)
const CLIENT_ORDER_ID = /^[0-9a-zA-Z_-]{1,32}$/
const WEEK_MS = 7 * 86_400_000
const DAY_MS = 86_400_000

const forceOf: Readonly<Record<string, Force>> = {
  LIMIT: 'gtc',
  MARKET: 'ioc',
  LIMIT_MAKER: 'post-only',
  IMMEDIATE_OR_CANCEL: 'ioc',
  FILL_OR_KILL: 'fok',
}

/** Order endpoints of MEXC spot, below `/api/v3`. */
export const spotOrderEndpoints: readonly Endpoint[] = [
  signedPost('/order', orderWeight(1), (call) => {
    const order = placeOrder(call)
    return {
      symbol: order.market.name,
      orderId: orderIdOf(order),
      orderListId: -1,
      price: order.price?.toFixed() ?? '0',
      origQty: order.size.toFixed(),
      type: order.labels.type ?? '',
      side: order.side.toUpperCase(),
      stpMode: order.labels.stpMode ?? '',
      transactTime: order.createdAtMs,
    }
  }),
  signedPost('/order/test', signedWeight(1), (call) => {
    call.venue.spot.check(toDraft(call))
    return {}
  }),
  signedDelete('/order', orderWeight(1), (call) => {
    const order = wantedOrder(call)
    if (order === undefined || order.status !== 'open') throw unknownOrderSent()
    const cancelled = call.venue.spot.cancel(order)
    return { ...toOrderView(cancelled), origClientOrderId: cancelled.clientId }
  }),
  signedGet('/order', signedWeight(2), (call) => {
    const order = wantedOrder(call)
    if (order === undefined) throw orderNotFound()
    return toOrderView(order)
  }),
  signedDelete('/openOrders', orderWeight(1), ({ venue, account, params }) => {
    const names = params.required('symbol').split(',')
    const markets = names.map((name) => spotMarketNamed(venue, name))
    if (markets.length > 5) throw spotProblems.malformed('symbol')
    const open = venue.spot.orders.open(account.name)
    return open
      .filter(({ market }) => markets.includes(market))
      .map((order) => toOrderView(venue.spot.cancel(order)))
  }),
  // Every open order of the account, whatever its symbol (docs/exchanges/mexc.md, 3).
  signedDelete('/order/all', orderWeight(1), ({ venue, account, request }) => {
    for (const order of venue.spot.orders.open(account.name)) venue.spot.cancel(order)
    return { code: 200, msg: 'success', timestamp: request.nowMs }
  }),
  signedGet('/openOrders', signedWeight(3), ({ venue, account, params }) => {
    const symbol = params.text('symbol')
    const market = symbol === undefined ? undefined : spotMarketNamed(venue, symbol)
    return venue.spot.orders
      .open(account.name)
      .filter((order) => market === undefined || order.market === market)
      .map(toOrderView)
  }),
  signedGet('/allOrders', signedWeight(10), ({ venue, account, params, request }) => {
    const market = spotMarketNamed(venue, params.required('symbol'))
    const { fromMs, toMs } = spanOf({ params, nowMs: request.nowMs })
    return venue.spot.orders
      .of(account.name)
      .filter((order) => order.market === market)
      .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs <= toMs)
      .slice(0, limitOf({ params, usual: 500, max: 1_000 }))
      .map(toOrderView)
  }),
]

/** @throws SpotRejection or OrderRejectedError */
export function placeOrder(call: SignedCall): SpotOrder {
  const draft = toDraft(call)
  rejectDuplicate(call, draft.clientId)
  return call.venue.spot.place(draft)
}

/** A span of at most 7 days, the last 24 hours when none is given. @throws SpotRejection */
function spanOf({ params, nowMs }: { params: SignedCall['params']; nowMs: number }): {
  fromMs: number
  toMs: number
} {
  const toMs = params.integer('endTime') ?? nowMs
  const fromMs = params.integer('startTime') ?? toMs - DAY_MS
  if (fromMs > toMs || toMs - fromMs > WEEK_MS) throw spotProblems.malformed('startTime')
  return { fromMs, toMs }
}

/**
 * How many entries the caller gets: MEXC's own SDK asks for more than the page allows.
 * @throws SpotRejection
 */
export function limitOf({
  params,
  usual,
  max,
}: {
  params: SignedCall['params']
  usual: number
  max: number
}): number {
  const limit = params.integer('limit') ?? usual
  if (limit < 1) throw spotProblems.malformed('limit')
  return Math.min(limit, max)
}

function toDraft({ venue, account, params }: SignedCall): SpotDraft {
  params.only(ORDER_FIELDS)
  const market = orderMarket(venue, params.required('symbol'))
  const type = params.required('type')
  const force = forceOf[type]
  const isMarket = type === 'MARKET'
  if (force === undefined || (isMarket && market.spot.mx?.hasMarketOrders === false))
    throw new SpotRejection(30041, 'current order type can not place order')
  const side = params.required('side')
  if (side !== 'BUY' && side !== 'SELL') throw spotProblems.malformed('side')
  const quantity = params.decimal('quantity')
  const quoteAmount = params.decimal('quoteOrderQty')
  const price = params.decimal('price')
  if (!isMarket && price === undefined) throw spotProblems.missing('price')
  if (quantity === undefined && (!isMarket || quoteAmount === undefined))
    throw spotProblems.missing('quantity')
  if (quantity === undefined && side === 'SELL')
    throw new SpotRejection(-1128, 'Invalid combination of optional parameters.')
  const spends = isMarket && quantity === undefined
  return {
    account,
    market,
    side: side === 'BUY' ? 'buy' : 'sell',
    force,
    price: isMarket ? null : (price ?? null),
    size: quantity ?? null,
    quoteAmount: spends ? (quoteAmount ?? null) : null,
    clientId: clientIdOf(params.text('newClientOrderId')),
    labels: { type, stpMode: params.text('stpMode') ?? '' },
  }
}

/** @throws SpotRejection 700008, which names the expression (live) */
function clientIdOf(sent: string | undefined): string {
  if (sent === undefined) return randomUUID().replaceAll('-', '')
  if (!CLIENT_ORDER_ID.test(sent))
    throw new SpotRejection(
      700008,
      `Illegal characters found in parameter 'newClientOrderId'; legal range is '${CLIENT_ORDER_ID.source}'.`,
    )
  return sent
}

function orderMarket(venue: SignedCall['venue'], name: string): Market {
  const market = spotMarkets(venue).find((candidate) => candidate.name === name)
  if (market === undefined) throw badSymbol()
  return market
}

function rejectDuplicate({ venue, account }: SignedCall, clientId: string): void {
  if (venue.habits.mexcSpotDuplicates === 'accept') return
  if (venue.spot.orders.byClientId(account.name, clientId).length > 0) throw duplicateOrder()
}

/**
 * The order that `orderId` or `origClientOrderId` names; of several with one client id the newest.
 */
function wantedOrder({ venue, account, params }: SignedCall): SpotOrder | undefined {
  const market = spotMarketNamed(venue, params.required('symbol'))
  const orderId = params.text('orderId')
  const clientId = params.text('origClientOrderId')
  if (orderId === undefined && clientId === undefined) throw spotProblems.missing('orderId')
  const order =
    orderId === undefined
      ? venue.spot.orders
          .byClientId(account.name, clientId ?? '')
          .find((candidate) => candidate.market === market)
      : venue.spot.orders.byId(account.name, withoutPrefix(orderId))
  return order?.market === market ? order : undefined
}

const withoutPrefix = (orderId: string): string =>
  orderId.startsWith(ORDER_ID_PREFIX) ? orderId.slice(ORDER_ID_PREFIX.length) : ''
