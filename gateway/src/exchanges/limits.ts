import type { HttpMethod } from './exchange.ts'

/** `GET /api/v3/depth`; a part in braces is any value: `GET /api/v1/contract/depth/{symbol}`. */
export type LimitedCall = `${HttpMethod} /${string}`

/** What one of each call takes of a limit. */
export type CallWeights = Readonly<Record<LimitedCall, number>>

/** One limit of an exchange, as its pages or its support state it. */
export interface ExchangeLimit {
  /** What it counts, for people: `orders and cancels`. */
  readonly title: string
  /** Whose calls it counts: those from one address, or those of one account. */
  readonly scope: 'ip' | 'uid' | 'ip or uid'
  /** `together`: one count for all its calls; `each`: a count of its own for each of them. */
  readonly counts: 'together' | 'each'
  /** `every`: any call of the API, with a weight of 1. */
  readonly calls: 'every' | CallWeights
  /** The sum of weights that a window may hold. */
  readonly max: number
  readonly windowMs: number
  /** `[2]`: two or more independent sources; `[1]`: one; `[?]`: not established. */
  readonly mark: '[2]' | '[1]' | '[?]'
  /** The section with the sources: `docs/exchanges/mexc.md, 7`. */
  readonly source: string
  /** The day, or the month, of the latest page or message that states it: `2026-09-25`. */
  readonly asOf: string
}

/** All that is known of the limits of one API. */
export interface ExchangeLimits {
  readonly table: readonly ExchangeLimit[]
  /** The calls that place one order on the documented routes. */
  readonly orderCalls: readonly [LimitedCall, ...LimitedCall[]]
  /** The response header with the number of calls that are left; absent: none is documented. */
  readonly remainingHeader?: string
}

/** A line of weights. `(a|b)` is each of several; a line has one such group at most. */
export type WeightLine = readonly [weight: number, method: HttpMethod, path: `/${string}`]

export function readWeights(lines: readonly WeightLine[]): CallWeights {
  const entries = lines.flatMap(([weight, method, path]) => {
    const [before = '', names, after = ''] = path.split(/[()]/)
    const paths = names === undefined ? [path] : names.split('|').map((n) => before + n + after)
    return paths.map((each) => [`${method} ${each}`, weight] as const)
  })
  return Object.fromEntries(entries)
}

/** How often a call may be sent, and the limit that says so. */
export interface AllowedRate {
  readonly call: LimitedCall
  readonly perSecond: number
  readonly limit: ExchangeLimit
}

/**
 * How often a call may be sent when nothing else is sent: of the limits that count it, the lowest
 * `max / weight / window`. Undefined when no limit counts it.
 */
export function rateOf(
  call: LimitedCall,
  table: readonly ExchangeLimit[],
): AllowedRate | undefined {
  const rates = table.flatMap((limit) => {
    const weight = limit.calls === 'every' ? 1 : limit.calls[call]
    if (weight === undefined) return []
    return [{ call, perSecond: limit.max / weight / (limit.windowMs / 1000), limit }]
  })
  return lowestRate(rates)
}

/**
 * The rate that an API allows in the gateway's worst case: every call is an order of one account,
 * so each counts fully for the address and for the account.
 *
 * - MEXC spot: an order weighs 1, so the address allows 300 / 1 / 10 s = 30 per second, the account
 *   500 / 1 / 10 s = 50 by weight, 20 in all, and 12 orders and cancels: 12 per second.
 * - MEXC futures: 4 orders / 2 s = 2 per second.
 * - Bitget, both kinds of account: the address allows 6,000 / 60 s = 100 per second, the account 10
 *   orders: 10 per second.
 *
 * The lane sends evenly: a window of `w` seconds holds at most `rate * w` calls, so a rate up to
 * this one never exceeds a limit. Cancels and changes have no lower limits than orders. A Bitget
 * leverage change does (5 per second), but each belongs to an order and comes after a read.
 */
export function orderRateOf({ table, orderCalls }: ExchangeLimits): AllowedRate {
  const lowest = lowestRate(orderCalls.flatMap((call) => rateOf(call, table) ?? []))
  if (lowest === undefined) throw new TypeError(`No limit counts ${orderCalls.join(', ')}`)
  return lowest
}

function lowestRate(rates: readonly AllowedRate[]): AllowedRate | undefined {
  return rates.toSorted((a, b) => a.perSecond - b.perSecond)[0]
}
