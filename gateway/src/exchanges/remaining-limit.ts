import type { UpstreamCall, UpstreamResponse } from './exchange.ts'
import { adapters } from './registry.ts'

/**
 * How many calls are left by the exchange's own count, as a response says; undefined when it says
 * nothing, or nothing that is a whole number below a million. For metrics only: which calls such a
 * header counts is not well documented, so the pace must not depend on it.
 */
export function remainingLimit(
  { family }: UpstreamCall,
  { headers }: Pick<UpstreamResponse, 'headers'>,
  from = adapters,
): number | undefined {
  const { remainingHeader } = from.of(family).limits
  const value = remainingHeader === undefined ? undefined : headers[remainingHeader]
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined
}
