import { type ClientLimitChanges, ClientLimits, NO_LIMITS } from 'schema'
import * as texts from './client-page-texts.ts'

const AMOUNTS = ['maxOrderValue', 'maxDayValue', 'priceCollarPercent'] as const
const COUNTS = ['maxOpenOrders', 'maxOrdersPerMinute', 'maxLeverage'] as const
const LISTS = ['symbols', 'allowedIps'] as const
type Written = (typeof AMOUNTS | typeof COUNTS)[number]

/** The limits as the form holds them: '' and an empty list are no limit. */
export interface LimitValues
  extends Readonly<Record<Written, string>>,
    Readonly<Record<(typeof LISTS)[number], readonly string[]>>,
    Pick<Readonly<ClientLimits>, 'manageForeign' | 'repeatGuard' | 'exits'> {
  readonly markets: '' | 'spot' | 'futures'
  /** As a field of date and time has it, on the reader's clock: `2027-01-01T01:00`. */
  readonly expiresAt: string
}
export type LimitField = keyof LimitValues

export const LIMIT_FIELDS: readonly LimitField[] = [
  ...(['symbols', 'markets', ...AMOUNTS, ...COUNTS, 'expiresAt', 'allowedIps'] as const),
  ...(['manageForeign', 'repeatGuard', 'exits'] as const),
]

const each = <Name extends string, Value>(
  names: readonly Name[],
  of: (name: Name) => Value,
): Readonly<Record<Name, Value>> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>

export function toValues(limits: ClientLimits): LimitValues {
  const { markets, expiresAt, manageForeign, repeatGuard, exits } = limits
  return {
    ...each([...AMOUNTS, ...COUNTS], (name) => String(limits[name] ?? '')),
    ...each(LISTS, (name) => limits[name] ?? []),
    ...{ manageForeign, repeatGuard, exits },
    markets: markets?.length === 1 ? (markets[0] ?? '') : '',
    expiresAt: expiresAt === null ? '' : toLocalTime(new Date(expiresAt)),
  }
}

/** The fields in which two forms differ. */
export function changedFields(a: LimitValues, b: LimitValues): LimitField[] {
  return LIMIT_FIELDS.filter((name) => String(a[name]) !== String(b[name]))
}

const NONE = toValues(NO_LIMITS)
/** The limits that are set. */
export const limitsSet = (values: LimitValues) => changedFields(values, NONE)

/** The given fields as the gateway takes them; values without problems only. */
export function toChanges(values: LimitValues, fields: readonly LimitField[]): ClientLimitChanges {
  const { markets, expiresAt, manageForeign, repeatGuard, exits } = values
  const all: ClientLimitChanges = {
    ...each(AMOUNTS, (name) => values[name].trim() || null),
    ...each(COUNTS, (name) => Number(values[name].trim()) || null),
    ...each(LISTS, (name) => (values[name].length === 0 ? null : [...values[name]])),
    ...{ manageForeign, repeatGuard, exits },
    markets: markets === '' ? null : [markets],
    expiresAt: expiresAt === '' ? null : toUtc(expiresAt),
  }
  return Object.fromEntries(fields.map((name) => [name, all[name]]))
}

/** What is wrong with the fields, by their names. The gateway checks the addresses. */
export function problemsOf(values: LimitValues): Record<string, string> {
  const { problems } = texts.limits
  const found: Record<string, string> = {}
  for (const name of AMOUNTS) {
    const { pattern = '' } = ClientLimits.properties[name].anyOf[0] as { pattern?: string }
    const value = values[name].trim()
    const words = name === 'priceCollarPercent' ? problems.percent : problems.amount
    if (value !== '' && !new RegExp(pattern).test(value)) found[name] = words
  }
  for (const name of COUNTS) {
    const { maximum = 0 } = ClientLimits.properties[name].anyOf[0] as { maximum?: number }
    const value = values[name].trim()
    const count = /^\d{1,9}$/.test(value) ? Number(value) : 0
    if (value !== '' && (count < 1 || count > maximum)) found[name] = problems.count(maximum)
  }
  const { maxItems = 0, items } = ClientLimits.properties.symbols.anyOf[0] as ListRules
  const symbol = new RegExp(items.pattern ?? '', 'u')
  const wrong = values.symbols.find((each) => !symbol.test(each))
  if (wrong !== undefined) found.symbols = problems.symbol(wrong)
  for (const name of LISTS)
    if (values[name].length > maxItems) found[name] = problems.many(maxItems)
  return found
}

interface ListRules {
  readonly maxItems?: number
  readonly items: { readonly pattern?: string }
}

/** `2027-01-01T01:00` on the reader's clock, with seconds where there are any. */
function toLocalTime(time: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  const seconds = time.getSeconds() === 0 ? '' : `:${two(time.getSeconds())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}${seconds}`
}

const toUtc = (local: string) => new Date(local).toISOString().replace('.000Z', 'Z')
