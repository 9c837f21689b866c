import type { KeyCheck, KeyProtocol } from '../keys.ts'
import { permissionNames, WITHDRAWAL_WARNING } from '../protocol/permissions.ts'
import { accountCall } from './calls.ts'

export const keys: KeyProtocol = {
  hasPassphrase: false,
  // docs/exchanges/mexc.md, 1.
  unboundDays: 90,
  check: accountCall,
  read: readAccount,
}

function readAccount(account: Readonly<Record<string, unknown>>): KeyCheck {
  // This response says nothing about IP binding; an unbound key expires after 90 days
  // (docs/exchanges/mexc.md, 1).
  return {
    permissions: permissionNames(account.permissions),
    ipBinding: null,
    warnings: [
      ...(account.canTrade === false ? ['This key may not trade: orders will be rejected.'] : []),
      ...(account.canWithdraw === true ? [WITHDRAWAL_WARNING] : []),
      'MEXC does not report whether the key is bound to an IP address; an unbound key expires after 90 days.',
    ],
  }
}
