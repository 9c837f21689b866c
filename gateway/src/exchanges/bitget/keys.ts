import type { KeyCheck, KeyProtocol } from '../keys.ts'
import { permissionNames, WITHDRAWAL_WARNING } from '../protocol/permissions.ts'
import { textOf } from '../protocol/untrusted.ts'
import { accountIdCall } from './account-calls.ts'
import { readCall } from './call.ts'

/**
 * A v2 call on a unified account: 40085 in all reports, 25245 in the error page only
 * (docs/exchanges/bitget.md, 1).
 */
const UNIFIED_ACCOUNT: ReadonlySet<string> = new Set(['25245', '40085'])

export const keys: KeyProtocol = {
  hasPassphrase: true,
  check: accountIdCall(),
  otherwise: { codes: UNIFIED_ACCOUNT, check: readCall('/api/v3/account/info', {}) },
  read: readAccountInfo,
}

function readAccountInfo(info: Readonly<Record<string, unknown>>): KeyCheck {
  const isUnified = info.authorities === undefined && Array.isArray(info.permissions)
  const permissions = permissionNames(isUnified ? info.permissions : info.authorities)
  const ips = textOf(info.ips)
    ?.split(',')
    .map((ip) => ip.trim())
    .filter((ip) => ip !== '')
  // How Bitget abbreviates the withdrawal permission is not established; both known spellings are
  // looked for.
  const canWithdraw = permissions.some((name) => /withdraw/i.test(name) || name === 'wwow')
  return {
    permissions,
    ipBinding: ips ?? [],
    warnings: [
      ...(isUnified ? [UNIFIED_WARNING] : []),
      ...(isUnified && info.permType === 'read-only'
        ? ['This key may not trade: orders will be rejected.']
        : []),
      ...(canWithdraw ? [WITHDRAWAL_WARNING] : []),
      ...(ips === undefined || ips.length === 0
        ? ['The key is not bound to an IP address: anyone who obtains it can use it from anywhere.']
        : []),
    ],
  }
}

const UNIFIED_WARNING =
  "This is a unified account: bots trade with Bitget's own calls below /bg/api/v3; the routes below /api/bg/v1 are for classic accounts."
