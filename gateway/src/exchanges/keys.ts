import type { AccountKind } from 'schema'
import type { KeyCheck, KeyProtocol, ReadKey } from './adapter.ts'
import type { ExchangeCode, UpstreamCall, UpstreamResponse } from './exchange.ts'
import { dataOf, isRejectedAs, isRejection } from './protocol/rejection.ts'
import { isRecord } from './protocol/untrusted.ts'
import { readResponse } from './read-response.ts'
import { adapters } from './registry.ts'

const DAY_MS = 86_400_000

/** @throws TypeError when none of the exchange's APIs reports on keys */
export function keysOf(exchange: ExchangeCode, from = adapters): KeyProtocol {
  const [found] = from.ofCode(exchange).flatMap(({ keys }) => keys ?? [])
  if (found === undefined) throw new TypeError(`${exchange} has no call that reports on keys`)
  return found
}

/**
 * Asks an exchange about a key.
 * @param ask sends a signed call and returns the data of the response
 * @throws what `ask` throws, of the fallback when there is one
 */
export async function checkKey(
  { check, read, fallback }: KeyProtocol,
  kind: AccountKind | null,
  ask: (call: UpstreamCall) => Promise<unknown>,
): Promise<KeyCheck> {
  const readData = (data: unknown, by: ReadKey) => by(isRecord(data) ? data : {})
  try {
    return readData(await ask(check(kind)), read)
  } catch (error) {
    const other = fallback?.(kind)
    // A rate limit says nothing about the call, and the fallback would be one more. After a
    // rejection of the kind of the account the same check is made in the other form.
    const isAboutKey =
      isRejection(error) && !isRejectedAs(error, 'rate') && !isRejectedAs(error, 'account-kind')
    if (other === undefined || !isAboutKey) throw error
    return readData(await ask(other.check), other.read)
  }
}

/**
 * The data of a good response about a key.
 * @throws ExchangeRejectedError, ExchangeResponseUnclearError
 */
export function keyDataOf(
  call: UpstreamCall,
  response: UpstreamResponse,
  from = adapters,
): unknown {
  return dataOf(from.of(call.family).name, readResponse(call, response, from))
}

/**
 * When a key expires, Unix ms; null when it does not. The exchange reports whole days, and how it
 * rounds them is not established. A known time that differs by a day or less is kept, so that the
 * time does not move with each reading.
 */
export function expiryOf(
  daysLeft: number | null,
  nowMs: number,
  knownMs: number | null,
): number | null {
  if (daysLeft === null) return null
  const expiresAtMs = nowMs + daysLeft * DAY_MS
  return knownMs !== null && Math.abs(knownMs - expiresAtMs) <= DAY_MS ? knownMs : expiresAtMs
}
