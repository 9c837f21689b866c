import type { KeyCheck, KeyProtocol } from '../adapter.ts'
import { mayWithdraw, permissionNames, withdrawalWarnings } from '../protocol/response-parts.ts'
import { textOf } from '../protocol/untrusted.ts'
import { accountIdCall } from './classic/documented.ts'
import { infoCall, openOrdersCall } from './unified/documented.ts'

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
  return {
    permissions: ['uta_trade'],
    canWithdraw: null,
    ipBinding: null,
    warnings: [TRADE_ONLY, ...withdrawalWarnings(null)],
  }
}

/**
 * How Bitget names the permissions of a classic account is not established
 * (docs/exchanges/bitget.md, 1): both known spellings of withdrawing are looked for, and the
 * harmless ones are the words of the page where keys are made. Those of a unified account:
 * docs/exchanges/bitget-unified.md, 2.
 */
const PERMISSION_WORDS = {
  withdraws: /withdraw|^wwow$/i,
  harmless: /^(read|readonly|trade|transfer|uta_trade|uta_mgt|copy_futures_(position|order))$/,
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
  const canWithdraw = mayWithdraw(permissions, PERMISSION_WORDS)
  return {
    permissions,
    canWithdraw,
    accountUid: uidOf(info.userId),
    ipBinding: ips ?? [],
    warnings: [
      ...(isUnified ? unifiedWarnings(permissions, info.permType) : []),
      ...withdrawalWarnings(canWithdraw),
      ...(ips === undefined || ips.length === 0
        ? ['The key is not bound to an IP address: anyone who obtains it can use it from anywhere.']
        : []),
    ],
  }
}

/** Whatever is no account's id does not identify one. */
function uidOf(userId: unknown): string | undefined {
  const text = textOf(userId)
  return text !== undefined && /^[1-9]\d{0,31}$/.test(text) ? text : undefined
}

/**
 * A unified key is for trading, for the account, or for both (docs/exchanges/bitget-unified.md, 2).
 */
function unifiedWarnings(permissions: readonly string[], permType: unknown): string[] {
  return permType === 'read-only' || !permissions.includes('uta_trade')
    ? ['This key may not trade: orders will be rejected.']
    : []
}
