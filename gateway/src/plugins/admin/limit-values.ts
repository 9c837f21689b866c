import type { ClientLimits, FieldProblem } from 'schema'
import { plainDecimal } from '../../exchanges/protocol/decimals.ts'
import { readNetwork, toNetworkText } from '../../http/networks.ts'
import { ValidationError } from '../../http/validation.ts'

const AMOUNTS = ['maxOrderValue', 'maxDayValue', 'priceCollarPercent'] as const

/**
 * Limits in the one spelling that is stored: amounts without superfluous zeros, networks without
 * the bits behind their prefix, the time in UTC. Absent limits stay absent.
 * @throws ValidationError for an address that is none
 */
export function toStoredLimits(limits: Partial<ClientLimits>): Partial<ClientLimits> {
  const stored = { ...limits }
  for (const name of AMOUNTS) {
    const amount = stored[name]
    if (typeof amount === 'string') stored[name] = plainDecimal(amount)
  }
  if (typeof stored.expiresAt === 'string')
    stored.expiresAt = new Date(stored.expiresAt).toISOString().replace('.000Z', 'Z')
  if (Array.isArray(stored.allowedIps)) stored.allowedIps = toNetworks(stored.allowedIps)
  return stored
}

function toNetworks(texts: readonly string[]): string[] {
  const networks = texts.map(readNetwork)
  const problems: FieldProblem[] = networks.flatMap((network, i) =>
    network === undefined
      ? [
          {
            field: `allowedIps.${i}`,
            message: 'must be an address or a network, such as 203.0.113.7 or 2001:db8::/32',
          },
        ]
      : [],
  )
  if (problems.length > 0) throw new ValidationError(problems)
  const known = networks.filter((network) => network !== undefined)
  return [...new Set(known.map(toNetworkText))]
}
