import type { Json } from '../exact-json.ts'
import type { Endpoint, PublicCall } from '../family.ts'
import { fundingRate } from './funding-rate.ts'
import { candleRows } from './granularity.ts'
import { contractOf } from './mix-scope.ts'
import { perSecond } from './spot-market.ts'
import { tapeRows } from './tape-rows.ts'

const candles = (call: PublicCall): Json => candleRows(call, contractOf(call))

/** What was traded on Bitget futures, at which prices, and what holding costs; public, below `/api/v2/mix`. */
export const mixTapeEndpoints: readonly Endpoint[] = [
  ...['/market/candles', '/market/history-candles'].map(
    (path): Endpoint => ({
      method: 'GET',
      path,
      access: 'public',
      limit: perSecond(20),
      answer: candles,
    }),
  ),
  ...['/market/fills', '/market/fills-history'].map(
    (path): Endpoint => ({
      method: 'GET',
      path,
      access: 'public',
      limit: perSecond(20),
      answer: (call) => tapeRows(call, call.venue.contracts.tape(contractOf(call))),
    }),
  ),
  {
    method: 'GET',
    path: '/market/symbol-price',
    access: 'public',
    limit: perSecond(20),
    answer(call) {
      const market = contractOf(call)
      const price = call.venue.prices.of(market).last.toFixed()
      const ts = `${call.request.nowMs}`
      return [{ symbol: market.name, price, indexPrice: price, markPrice: price, ts }]
    },
  },
  {
    method: 'GET',
    path: '/market/current-fund-rate',
    access: 'public',
    limit: perSecond(20),
    answer: (call) => [fundingRate(call, contractOf(call))],
  },
]
