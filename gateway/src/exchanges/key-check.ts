import type { ExchangeCode, UpstreamCall } from './exchange.ts'
import { isRecord, textOf } from './protocol/untrusted.ts'

/** What an exchange tells about a key. */
export interface KeyCheck {
  /** In the exchange's own terms. */
  readonly permissions: readonly string[]
  /**
   * Addresses the key is bound to, empty when it is bound to none; null when the exchange does not
   * tell.
   */
  readonly ipBinding: readonly string[] | null
  /** What works but should not be left so, a sentence each. */
  readonly warnings: readonly string[]
}

const CALLS: Record<ExchangeCode, UpstreamCall> = {
  mx: signedGet('mexc-spot', '/api/v3/account'),
  bg: signedGet('bitget', '/api/v2/spot/account/info'),
}

/** A v2 call on a unified account: 40085 in all reports, 25245 in the error page only (docs/exchanges/bitget.md, 1). */
const UNIFIED_ACCOUNT: ReadonlySet<string> = new Set(['25245', '40085'])

/** The signed read that shows whether a key works and what it may do. */
export function keyCheckCall(exchange: ExchangeCode): UpstreamCall {
  return CALLS[exchange]
}

/** The read to make when `keyCheckCall` was refused because the account is a unified one; undefined after other refusals. */
export function unifiedKeyCheckCall(
  exchange: ExchangeCode,
  exchangeCode: string,
): UpstreamCall | undefined {
  const isUnified = exchange === 'bg' && UNIFIED_ACCOUNT.has(exchangeCode)
  return isUnified ? signedGet('bitget', '/api/v3/account/info') : undefined
}

/** Reads the data of a good answer to either. */
export function readKeyCheck(exchange: ExchangeCode, data: unknown): KeyCheck {
  const fields = isRecord(data) ? data : {}
  return exchange === 'mx' ? readMexc(fields) : readBitget(fields)
}

function readMexc(account: Record<string, unknown>): KeyCheck {
  // This answer says nothing about IP binding; an unbound key expires after 90 days (docs/exchanges/mexc.md, 1).
  return {
    permissions: listOf(account.permissions),
    ipBinding: null,
    warnings: [
      ...(account.canTrade === false ? ['This key may not trade: orders will be rejected.'] : []),
      ...(account.canWithdraw === true ? [WITHDRAWAL_WARNING] : []),
      'MEXC does not report whether the key is bound to an IP address; an unbound key expires after 90 days.',
    ],
  }
}

function readBitget(info: Record<string, unknown>): KeyCheck {
  const isUnified = info.authorities === undefined && Array.isArray(info.permissions)
  const permissions = listOf(isUnified ? info.permissions : info.authorities)
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

const WITHDRAWAL_WARNING =
  'This key may withdraw. Sluice never withdraws; create a key without that permission.'

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map((item) => String(item).slice(0, 50)).slice(0, 50) : []
}

function signedGet(family: UpstreamCall['family'], path: string): UpstreamCall {
  return { family, method: 'GET', path, query: '', body: null, signed: true }
}
