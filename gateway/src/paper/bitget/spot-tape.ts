import { coinsOf } from '../coins.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, PublicCall } from '../family.ts'
import { candleRows } from './granularity.ts'
import { perSecond } from './spot-market.ts'
import { spotMarketNamed } from './spot-views.ts'
import { tapeRows } from './tape-rows.ts'

const candles = (call: PublicCall): Json =>
  candleRows(call, spotMarketNamed(call.venue, call.params.required('symbol')))

/** What was traded on Bitget spot, and at which prices; public, below `/api/v2/spot`. */
export const spotTapeEndpoints: readonly Endpoint[] = [
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
      limit: perSecond(10),
      answer(call) {
        const market = spotMarketNamed(call.venue, call.params.required('symbol'))
        return tapeRows(call, call.venue.spot.tape(market))
      },
    }),
  ),
  {
    method: 'GET',
    path: '/public/coins',
    access: 'public',
    limit: perSecond(3),
    answer({ venue, params }) {
      const wanted = params.text('coin')?.toUpperCase()
      return coinsOf(venue)
        .filter((coin) => wanted === undefined || coin === wanted)
        .map(toCoinView)
    },
  },
]

const toCoinView = (coin: string, index: number): Json => ({
  coinId: `${index + 1}`,
  coin,
  transfer: 'false',
  chains: [
    {
      chain: coin,
      needTag: 'false',
      withdrawable: 'false',
      rechargeable: 'false',
      withdrawFee: '0',
      extraWithdrawFee: '0',
      depositConfirm: '1',
      withdrawConfirm: '1',
      minDepositAmount: '0',
      minWithdrawAmount: '0',
      browserUrl: '',
      contractAddress: '',
      withdrawStep: '0',
      withdrawMinScale: '8',
      congestion: 'normal',
    },
  ],
  areaCoin: 'no',
})
