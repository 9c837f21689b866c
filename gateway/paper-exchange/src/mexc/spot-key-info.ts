import type { Account, Permission } from '../account.ts'
import type { Endpoint } from '../family.ts'
import { signedWeight } from './spot-limits.ts'
import { SpotRejection } from './spot-rejection.ts'

const DAY_MS = 86_400_000
/** How long a key lasts that is bound to no address (docs/exchanges/mexc.md, 1). */
const UNBOUND_DAYS = 90

const NAMES: Readonly<Record<Permission, readonly string[]>> = {
  read: ['SPOT_ACCOUNT_READ', 'SPOT_DEAL_READ', 'CONTRACT_ACCOUNT_READ', 'CONTRACT_DEAL_READ'],
  trade: ['SPOT_DEAL_WRITE', 'CONTRACT_DEAL_WRITE'],
  // Of Bitget only.
  manage: [],
  transfer: ['SPOT_TRANSFER_READ', 'SPOT_TRANSFER_WRITE'],
  withdraw: ['SPOT_WITHDRAW_READ', 'SPOT_WITHDRAW_WRITE'],
}

/** What MEXC reports about a key (docs/exchanges/mexc.md, 1), below `/api/v3`. */
export const spotKeyInfoEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/apiKeyInfo',
    access: 'read',
    limit: signedWeight(1),
    respond({ account, params, request }) {
      const accessKey = params.required('accessKey')
      // How the real exchange rejects a key of another account is not documented.
      if (accessKey !== account.apiKey && !account.otherKeys.has(accessKey))
        throw new SpotRejection(10072, 'Api key info invalid')
      return {
        note: account.name,
        accessKey,
        createTime: new Date(account.openedAtMs).toISOString().replace('Z', '+00:00'),
        permissions: [...account.permissions].flatMap((name) => NAMES[name]).join(','),
        remainingValidity: daysLeftOf(account, request.nowMs),
        ipWhiteList: account.ipWhitelist.join(','),
        status: 'VALID',
      }
    },
  },
]

/**
 * What the real exchange has for a key that is bound to addresses is not established: 0 here [?].
 */
function daysLeftOf({ keyDaysLeft, ipWhitelist, openedAtMs }: Account, nowMs: number): number {
  if (keyDaysLeft !== null) return keyDaysLeft
  if (ipWhitelist.length > 0) return 0
  return Math.max(0, UNBOUND_DAYS - Math.floor((nowMs - openedAtMs) / DAY_MS))
}
