import type { ClientLimits } from 'schema'
import { isBelow } from '../../exchanges/protocol/decimals.ts'
import { isNetworkWithin } from '../../http/networks.ts'

/** From what allows most to what allows least. */
export const STATES: readonly ClientLimits['state'][] = ['active', 'reducing', 'halted']
const EXITS: readonly ClientLimits['exits'][] = ['any', 'own', 'limited']

type Names = keyof ClientLimits
type Compare<Name extends Names> = (
  before: NonNullable<ClientLimits[Name]>,
  after: NonNullable<ClientLimits[Name]>,
) => boolean

const isNotAbove = (before: string, after: string) => !isBelow(before, after)
const isAtMost = (before: number, after: number) => after <= before

/** Whether a limit allows no more than it did. `null`, no limit, is compared before. */
const ALLOWS_NO_MORE: { readonly [Name in Names]: Compare<Name> } = {
  state: (before, after) => STATES.indexOf(after) >= STATES.indexOf(before),
  mode: (before, after) => after === 'enforce' || before === 'shadow',
  symbols: (before, after) => after.every((each) => before.some((old) => covers(old, each))),
  markets: (before, after) => after.every((each) => before.includes(each)),
  maxOrderValue: isNotAbove,
  maxDayValue: isNotAbove,
  maxOpenOrders: isAtMost,
  maxOrdersPerMinute: isAtMost,
  maxLeverage: isAtMost,
  priceCollarPercent: isNotAbove,
  manageForeign: (before, after) => before || !after,
  expiresAt: (before, after) => Date.parse(after) <= Date.parse(before),
  allowedIps: (before, after) =>
    after.every((each) => before.some((old) => isNetworkWithin(each, old))),
  secretAsBearer: (before, after) => before || !after,
  repeatGuard: (before, after) => after === 'on' || before === 'off',
  exits: (before, after) => EXITS.indexOf(after) >= EXITS.indexOf(before),
}

/**
 * Whether limits allow anything that they did not allow before. Each limit is compared by itself,
 * and the result is true where several would have to be compared together.
 */
export function loosens(before: ClientLimits, after: ClientLimits): boolean {
  return (Object.keys(ALLOWS_NO_MORE) as Names[]).some((name) => isLooser(name, before, after))
}

function isLooser<Name extends Names>(
  name: Name,
  { [name]: before }: ClientLimits,
  { [name]: after }: ClientLimits,
): boolean {
  if (before === null) return false
  if (after === null) return true
  return !ALLOWS_NO_MORE[name](
    before as NonNullable<ClientLimits[Name]>,
    after as NonNullable<ClientLimits[Name]>,
  )
}

/**
 * Whether a symbol, or every symbol that a pattern such as `ETH*` matches, is within an older one.
 */
function covers(old: string, each: string): boolean {
  return old.endsWith('*') ? each.startsWith(old.slice(0, -1)) : each === old
}

/** The limits that differ, as they are in each. */
export function differences(
  before: ClientLimits,
  after: ClientLimits,
): Record<'before' | 'after', Partial<ClientLimits>> {
  const names = (Object.keys(ALLOWS_NO_MORE) as Names[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (limits: ClientLimits): Partial<ClientLimits> =>
    Object.fromEntries(names.map((name) => [name, limits[name]]))
  return { before: pick(before), after: pick(after) }
}
