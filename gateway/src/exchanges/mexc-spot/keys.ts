import type { KeyCheck, KeyProtocol } from '../adapter.ts'
import { readOf, type UpstreamCall } from '../exchange.ts'
import { mayWithdraw, permissionNames, withdrawalWarnings } from '../protocol/response-parts.ts'
import { cleanWords, decimalOf, textOf } from '../protocol/untrusted.ts'
import { accountCall } from './documented.ts'

// docs/exchanges/mexc.md, 1.
const UNBOUND_DAYS = 90
/** A key that is bound to an address gets a warning when it expires in so many days or sooner. */
const SOON_DAYS = 14
const DAYS_MAX = 10_000
const ADDRESSES_MAX = 50

/** docs/exchanges/mexc.md, 1. */
const PERMISSION_WORDS = {
  withdraws: /WITHDRAW(?!_READ)/,
  harmless: /^((SPOT|CONTRACT)_(ACCOUNT|DEAL|TRANSFER)_(READ|WRITE)|SPOT_WITHDRAW_READ)$/,
}

const TRANSFER_WARNING =
  'This key may transfer funds. Sluice never transfers; create a key without that permission.'
const UNKNOWN_BINDING = `MEXC does not report whether the key is bound to an IP address; an unbound key expires after ${UNBOUND_DAYS} days`

/** Reports on the key that its query names, which is the key that signs it. */
const keyInfoCall: UpstreamCall = {
  ...readOf('mexc-spot', '/api/v3/apiKeyInfo'),
  keyParameter: 'accessKey',
}

export const keys: KeyProtocol = {
  hasPassphrase: false,
  unboundDays: UNBOUND_DAYS,
  check: () => keyInfoCall,
  read: readKeyInfo,
  fallback: () => ({ check: accountCall(), read: readAccount }),
}

/**
 * A missing or malformed field does not fail the test of a working key (docs/exchanges/mexc.md, 1).
 */
function readKeyInfo(info: Readonly<Record<string, unknown>>): KeyCheck {
  const permissions = permissionNames(info.permissions)
  const ipBinding = addressesOf(info.ipWhiteList)
  const daysLeft = daysLeftOf(info.remainingValidity, ipBinding)
  const canWithdraw = mayWithdraw(permissions, PERMISSION_WORDS)
  return {
    permissions,
    canWithdraw,
    ipBinding,
    ...(daysLeft === undefined ? {} : { daysLeft }),
    warnings: [
      ...stateWarnings(info.status),
      ...permissionWarnings(permissions, canWithdraw),
      ...expiryWarnings(ipBinding, daysLeft),
    ],
  }
}

function addressesOf(value: unknown): string[] | null {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : null
  return (
    list
      ?.map((address) => cleanWords(address))
      .filter((address) => address !== '')
      .slice(0, ADDRESSES_MAX) ?? null
  )
}

/**
 * A key that is bound to addresses does not expire, and what MEXC reports for one is not
 * established [?]. A number above zero is believed: a warning about an expiry that does not come
 * costs less than a missed one.
 * @returns undefined when it is unknown
 */
function daysLeftOf(value: unknown, ipBinding: string[] | null): number | null | undefined {
  const days = Math.floor(Number(decimalOf(value) ?? Number.NaN))
  const isKnown = days >= 0 && days <= DAYS_MAX
  if (ipBinding?.length === 0) return isKnown ? days : undefined
  if (isKnown && days > 0) return days
  return ipBinding === null ? undefined : null
}

function stateWarnings(status: unknown): string[] {
  const state = cleanWords(textOf(status))
  return state === '' || state === 'VALID' ? [] : [`MEXC reports the state "${state}" of this key.`]
}

function permissionWarnings(permissions: readonly string[], canWithdraw: boolean | null): string[] {
  const has = (pattern: RegExp) => permissions.some((name) => pattern.test(name))
  return [
    ...(permissions.length > 0 && !has(/_DEAL_WRITE$/)
      ? ['This key may not trade: orders will be rejected.']
      : []),
    ...withdrawalWarnings(canWithdraw),
    ...(has(/TRANSFER(?!_READ)/) ? [TRANSFER_WARNING] : []),
  ]
}

function expiryWarnings(ipBinding: string[] | null, daysLeft: number | null | undefined): string[] {
  const days = daysLeft === 1 ? '1 day is left' : `${daysLeft} days are left`
  const left = typeof daysLeft === 'number' ? `; ${days}` : ''
  if (ipBinding?.length === 0)
    return [
      `The key is not bound to an IP address: anyone who obtains it can use it from anywhere, and MEXC lets it expire after ${UNBOUND_DAYS} days${left}.`,
    ]
  if (ipBinding === null) return [`${UNKNOWN_BINDING}${left}.`]
  return typeof daysLeft === 'number' && daysLeft <= SOON_DAYS
    ? [`MEXC lets the key expire although it is bound to an IP address${left}.`]
    : []
}

/** This response describes the account and not the key (docs/exchanges/mexc.md, 1). */
function readAccount(account: Readonly<Record<string, unknown>>): KeyCheck {
  return {
    permissions: permissionNames(account.permissions),
    canWithdraw: null,
    ipBinding: null,
    warnings: [
      'The key works, but MEXC did not report what it may do: the permissions are those of the account.',
      ...(account.canTrade === false
        ? ['This account may not trade: orders will be rejected.']
        : []),
      ...withdrawalWarnings(null),
      `${UNKNOWN_BINDING}.`,
    ],
  }
}
