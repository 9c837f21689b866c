import type { Endpoint } from '../family.ts'
import { perSecond } from './spot-market.ts'

// The vocabulary of `authorities` is not established; these are the words of the key page.
const authorityWords = {
  read: 'readonly',
  trade: 'trade',
  transfer: 'transfer',
  withdraw: 'withdraw',
} as const

/** Account endpoints of Bitget spot, below `/api/v2/spot`. */
export const spotAccountEndpoints: readonly Endpoint[] = [
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
