import { coinsOf } from '../coins.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint } from '../family.ts'
import { perSecond } from './spot-market.ts'
import { spotMarketNamed } from './spot-views.ts'
import { tapeEndpoints } from './tape-endpoints.ts'

/** What was traded on Bitget spot, and at which prices; public, below `/api/v2/spot`. */
export const spotTapeEndpoints: readonly Endpoint[] = [
  ...tapeEndpoints({
    marketOf: ({ venue, params }) => spotMarketNamed(venue, params.required('symbol')),
    tradesOf: ({ venue }, market) => venue.spot.tape(market),
    tradesPerSecond: 10,
  }),
  {
    method: 'GET',
    path: '/public/coins',
    access: 'public',
    limit: perSecond(3),
    respond({ venue, params }) {
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
