import type { Endpoint } from '../family.ts'
import { signedWeight, twicePerSecond } from './spot-limits.ts'
import { limitOf } from './spot-orders.ts'
import { ORDER_ID_PREFIX, spotMarketNamed, toTradeView } from './spot-views.ts'

const MONTH_MS = 31 * 86_400_000

/** Account endpoints of MEXC spot, below `/api/v3`. */
export const spotAccountEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/account',
    access: 'read',
    limit: [twicePerSecond, ...signedWeight(10)],
    respond: ({ account }) => ({
      makerCommission: null,
      takerCommission: null,
      canTrade: account.permissions.has('trade'),
      canWithdraw: account.permissions.has('withdraw'),
      canDeposit: true,
      updateTime: null,
      accountType: 'SPOT',
      balances: account.spot.list().map(({ coin, free, locked }) => ({
        asset: coin,
        free: free.toFixed(),
        locked: locked.toFixed(),
        available: free.toFixed(),
      })),
      permissions: ['SPOT'],
    }),
  },
  {
    method: 'GET',
    path: '/myTrades',
    access: 'read',
    limit: signedWeight(10),
    respond({ venue, account, params, request }) {
      const market = spotMarketNamed(venue, params.required('symbol'))
      const orderId = params.text('orderId')
      const fromMs = params.integer('startTime') ?? request.nowMs - MONTH_MS
      const toMs = params.integer('endTime') ?? request.nowMs
      return venue.spot
        .tradesOf(account.name)
        .filter(({ order }) => order.market === market)
        .filter(({ order }) => orderId === undefined || orderId === `${ORDER_ID_PREFIX}${order.id}`)
        .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
        .slice(0, limitOf({ params, usual: 100, max: 100 }))
        .map(toTradeView)
    },
  },
]
