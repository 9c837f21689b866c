import { coinsOf } from '../coins.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint } from '../family.ts'
import { spotBatchEndpoints } from './spot-batch.ts'
import { perSecond, spotMarketEndpoints } from './spot-market.ts'
import { spotOrderEndpoints } from './spot-orders.ts'
import { spotMarketNamed } from './spot-views.ts'
import { tapeEndpoints } from './tape-endpoints.ts'

/** What was traded on Bitget spot, and at which prices; public, below `/api/v2/spot`. */
const spotTapeEndpoints: readonly Endpoint[] = [
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

// The vocabulary of `authorities` is not established; these are the words of the key page.
const authorityWords = {
  read: 'readonly',
  trade: 'trade',
  transfer: 'transfer',
  withdraw: 'withdraw',
} as const

/** Account endpoints of Bitget spot, below `/api/v2/spot`. */
const spotAccountEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/account/info',
    access: 'read',
    limit: perSecond(1),
    respond: ({ account }) => ({
      userId: account.userId,
      inviterId: '',
      ips: account.ipWhitelist.join(','),
      authorities: [...account.permissions].flatMap((permission) =>
        permission === 'manage' ? [] : [authorityWords[permission]],
      ),
      parentId: Number(account.userId),
      traderType: 'not_trader',
      channelCode: '',
      channel: '',
      regisTime: `${account.openedAtMs}`,
    }),
  },
  {
    method: 'GET',
    path: '/account/assets',
    access: 'read',
    limit: perSecond(10),
    respond({ account, params }) {
      const coin = params.text('coin')
      const isAll = params.choice('assetType', ['hold_only', 'all']) === 'all'
      return account.spot
        .list()
        .filter((balance) => coin === undefined || balance.coin === coin.toUpperCase())
        .filter(({ free, locked }) => isAll || coin !== undefined || !free.plus(locked).isZero())
        .map((balance) => ({
          coin: balance.coin,
          available: balance.free.toFixed(),
          // Coins of resting orders are "frozen"; "locked" are those of fiat trades and the like.
          frozen: balance.locked.toFixed(),
          locked: '0',
          limitAvailable: '0',
          // The documented example has seconds here, other times are milliseconds.
          uTime: `${Math.floor(balance.changedAtMs / 1_000)}`,
        }))
    },
  },
]

/** All of Bitget spot, below `/api/v2/spot`. */
export const bitgetSpotEndpoints: readonly Endpoint[] = [
  ...spotMarketEndpoints,
  ...spotTapeEndpoints,
  ...spotOrderEndpoints,
  ...spotBatchEndpoints,
  ...spotAccountEndpoints,
]
