import type { ContractTrade } from '../contract-order.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { futuresAccountEndpoints } from './futures-account.ts'
import { futuresMarketEndpoints, perTwoSeconds } from './futures-market.ts'
import { futuresOrderEndpoints, pageOf } from './futures-orders.ts'
import { futuresPlanEndpoints } from './futures-plans.ts'
import { futuresStopEndpoints } from './futures-stops.ts'
import { futuresTapeEndpoints } from './futures-tape.ts'
import { contractName, contractNamed, toVol } from './futures-views.ts'

/** What an account has traded on MEXC futures, below `/api/v1`. */
const futuresFillEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/private/order/list/order_deals',
    access: 'read',
    limit: perTwoSeconds(20),
    respond: orderDeals,
  },
  {
    method: 'GET',
    path: '/private/order/deal_details/:orderId',
    access: 'read',
    limit: perTwoSeconds(20),
    respond: ({ venue, account, request }) =>
      venue.contracts
        .tradesOf(account.name)
        .filter(({ order }) => order.id === request.pathParams.orderId)
        .map(toDealView),
  },
]

function orderDeals(call: SignedCall): Json {
  const { venue, account, params } = call
  const market = contractNamed(venue, params.required('symbol'))
  const fromMs = params.integer('start_time') ?? 0
  const toMs = params.integer('end_time') ?? Number.MAX_SAFE_INTEGER
  const wanted = venue.contracts
    .tradesOf(account.name)
    .filter(({ order, atMs }) => order.market === market && atMs >= fromMs && atMs <= toMs)
  return pageOf(call, wanted).map(toDealView)
}

function toDealView({ id, order, price, size, fee, profit, isMaker, atMs }: ContractTrade): Json {
  return {
    id,
    symbol: contractName(order.market),
    side: Number(order.labels.side ?? (order.side === 'buy' ? 2 : 4)),
    vol: toVol(order.market, size),
    price,
    fee,
    feeCurrency: order.market.quote,
    profit,
    taker: !isMaker,
    category: 1,
    orderId: order.id,
    timestamp: atMs,
  }
}

/** All of MEXC futures, below `/api/v1`. */
export const mexcFuturesEndpoints: readonly Endpoint[] = [
  ...futuresMarketEndpoints,
  ...futuresTapeEndpoints,
  ...futuresOrderEndpoints,
  ...futuresPlanEndpoints,
  ...futuresStopEndpoints,
  ...futuresFillEndpoints,
  ...futuresAccountEndpoints,
]
