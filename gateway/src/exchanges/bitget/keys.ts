import type { KeyCheck, KeyProtocol } from '../keys.ts'
import { permissionNames, WITHDRAWAL_WARNING } from '../protocol/permissions.ts'
import { textOf } from '../protocol/untrusted.ts'
import { accountIdCall } from './classic/account-calls.ts'
import { infoCall, openOrdersCall } from './unified/account-calls.ts'

export const keys: KeyProtocol = {
  hasPassphrase: true,
  check: (kind) => (kind === 'unified' ? infoCall() : accountIdCall()),
  read: readAccountInfo,
  fallback: (kind) =>
    kind === 'unified' ? { check: openOrdersCall(), read: readTradeOnly } : undefined,
}

/**
 * Bitget reports the permissions of a key only if it may manage the account. A key that may only
 * trade can read its open orders (docs/exchanges/bitget-unified.md, 2).
 */
function readTradeOnly(): KeyCheck {
  return { permissions: ['uta_trade'], ipBinding: null, warnings: [TRADE_ONLY] }
}

const TRADE_ONLY =
  'This key may trade, but neither read balances nor set the leverage, and Bitget does not report its IP binding: give it the permission uta_mgt at Bitget.'

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
      ...(isUnified ? unifiedWarnings(permissions, info.permType) : []),
      ...(canWithdraw ? [WITHDRAWAL_WARNING] : []),
      ...(ips === undefined || ips.length === 0
        ? ['The key is not bound to an IP address: anyone who obtains it can use it from anywhere.']
        : []),
    ],
  }
}

/**
 * A unified key is for trading, for the account, or for both (docs/exchanges/bitget-unified.md, 2).
 */
function unifiedWarnings(permissions: readonly string[], permType: unknown): string[] {
  return permType === 'read-only' || !permissions.includes('uta_trade')
    ? ['This key may not trade: orders will be rejected.']
    : []
}
