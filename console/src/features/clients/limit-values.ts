import { type ClientLimitChanges, ClientLimits, NO_LIMITS } from 'schema'
import * as texts from './client-page-texts.ts'

/** The limits as the form holds them: '' and an empty list are no limit. */
export interface LimitValues {
  readonly symbols: readonly string[]
  readonly markets: '' | 'spot' | 'futures'
  readonly maxOrderValue: string
  readonly maxDayValue: string
  readonly maxOpenOrders: string
  readonly maxOrdersPerMinute: string
  readonly maxLeverage: string
  readonly priceCollarPercent: string
  /** As a field of date and time has it, on the reader's clock: `2027-01-01T01:00`. */
  readonly expiresAt: string
  readonly allowedIps: readonly string[]
  readonly manageForeign: boolean
  readonly repeatGuard: ClientLimits['repeatGuard']
  readonly exits: ClientLimits['exits']
}
export type LimitField = keyof LimitValues

const AMOUNTS = ['maxOrderValue', 'maxDayValue', 'priceCollarPercent'] as const
const COUNTS = ['maxOpenOrders', 'maxOrdersPerMinute', 'maxLeverage'] as const
export const LIMIT_FIELDS: readonly LimitField[] = [
  'symbols',
  'markets',
  ...AMOUNTS,
  ...COUNTS,
  'expiresAt',
  'allowedIps',
  'manageForeign',
  'repeatGuard',
  'exits',
]

export function toValues(limits: ClientLimits): LimitValues {
  const { markets, expiresAt } = limits
  const text = (value: string | number | null) => (value === null ? '' : String(value))
  return {
    symbols: limits.symbols ?? [],
    markets: markets?.length === 1 ? (markets[0] ?? '') : '',
    maxOrderValue: text(limits.maxOrderValue),
    maxDayValue: text(limits.maxDayValue),
    maxOpenOrders: text(limits.maxOpenOrders),
    maxOrdersPerMinute: text(limits.maxOrdersPerMinute),
    maxLeverage: text(limits.maxLeverage),
    priceCollarPercent: text(limits.priceCollarPercent),
    expiresAt: expiresAt === null ? '' : toLocalTime(new Date(expiresAt)),
    allowedIps: limits.allowedIps ?? [],
    manageForeign: limits.manageForeign,
    repeatGuard: limits.repeatGuard,
    exits: limits.exits,
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
  const all: ClientLimitChanges = {
    symbols: listOrNone(values.symbols),
    markets: values.markets === '' ? null : [values.markets],
    allowedIps: listOrNone(values.allowedIps),
    manageForeign: values.manageForeign,
    expiresAt: values.expiresAt === '' ? null : toUtc(values.expiresAt),
    repeatGuard: values.repeatGuard,
    exits: values.exits,
  }
  for (const name of AMOUNTS) all[name] = values[name].trim() || null
  for (const name of COUNTS) all[name] = Number(values[name].trim()) || null
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
  for (const name of ['symbols', 'allowedIps'] as const)
    if (values[name].length > maxItems) found[name] = problems.many(maxItems)
  return found
}

interface ListRules {
  readonly maxItems?: number
  readonly items: { readonly pattern?: string }
}

const listOrNone = (list: readonly string[]) => (list.length === 0 ? null : [...list])

/** `2027-01-01T01:00` on the reader's clock, with seconds where there are any. */
function toLocalTime(time: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  const seconds = time.getSeconds() === 0 ? '' : `:${two(time.getSeconds())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}${seconds}`
}

const toUtc = (local: string) => new Date(local).toISOString().replace('.000Z', 'Z')
