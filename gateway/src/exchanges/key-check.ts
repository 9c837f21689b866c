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

/** How an API tells about a key. */
export interface KeyCheckProtocol {
  /** The signed read that shows whether a key works and what it may do. */
  readonly call: UpstreamCall
  /** The read to make instead when `call` was rejected with one of these codes of the exchange. */
  readonly otherwise?: { readonly codes: ReadonlySet<string>; readonly call: UpstreamCall }
  /** Reads the data of a good response to either. */
  readonly read: (data: Readonly<Record<string, unknown>>) => KeyCheck
}

/** How an exchange tells about a key. @throws TypeError when none of its APIs does */
export function keyCheckOf(exchange: ExchangeCode, from = adapters): KeyCheckProtocol {
  const check = from.ofCode(exchange).find(({ keyCheck }) => keyCheck !== undefined)?.keyCheck
  if (check === undefined) throw new TypeError(`${exchange} tells nothing about keys`)
  return check
}
