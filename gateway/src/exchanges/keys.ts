import type { AccountKind } from 'schema'
import type { ExchangeCode, UpstreamCall } from './exchange.ts'
import { adapters } from './registry.ts'

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

/** What the keys of an exchange are like, and how it tells about one. */
export interface KeyProtocol {
  /** The account's owner chose one when the key was made. */
  readonly hasPassphrase: boolean
  /** For how many days a key lasts that is bound to no address; absent where that is no limit. */
  readonly unboundDays?: number
  /**
   * The signed read that shows whether a key works and what it may do.
   * @param kind of the account; null while it is unknown
   */
  readonly check: (kind: AccountKind | null) => UpstreamCall
  /** Reads the data of a good response to it. */
  readonly read: (data: Readonly<Record<string, unknown>>) => KeyCheck
}

/** @throws TypeError when none of the exchange's APIs tells about keys */
export function keysOf(exchange: ExchangeCode, from = adapters): KeyProtocol {
  const [found] = from.ofCode(exchange).flatMap(({ keys }) => keys ?? [])
  if (found === undefined) throw new TypeError(`${exchange} tells nothing about keys`)
  return found
}
