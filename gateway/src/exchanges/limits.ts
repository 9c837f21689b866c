import type { HttpMethod } from './exchange.ts'

/** `GET /api/v3/depth`; a part in braces is any value: `GET /api/v1/contract/depth/{symbol}`. */
export type LimitedCall = `${HttpMethod} /${string}`

/** What one of each call takes of a limit. */
type CallWeights = Readonly<Record<LimitedCall, number>>

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

/**
 * A line of weights. `(a|b)` in a path is one call for each name; a path has at most one such
 * group.
 */
export type WeightLine = readonly [weight: number, method: HttpMethod, path: `/${string}`]

/** The weight of each call in the lines, by method and path. */
export function readWeights(lines: readonly WeightLine[]): CallWeights {
  const entries = lines.flatMap(([weight, method, path]) => {
    const [before = '', names, after = ''] = path.split(/[()]/)
    const paths = names === undefined ? [path] : names.split('|').map((n) => before + n + after)
    return paths.map((each) => [`${method} ${each}`, weight] as const)
  })
  return Object.fromEntries(entries)
}

/** How often a call may be sent, and the limit that decides it. */
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
 * so each counts fully for the address and for the account. With a weight of 1, 300 by weight in 10
 * s for the address and 12 in 1 s for the account allow 12 per second.
 *
 * The lane sends evenly: a window of `w` seconds holds at most `rate * w` calls, so a rate up to
 * this one never exceeds a limit. A cancel or a change of one order has no lower limit than an
 * order. A leverage change can have one, but each belongs to an order and comes after a read.
 * Batches can have one too; `docs/operations/capacity.md` lists the calls below the default rate.
 *
 * @throws TypeError when no limit counts the order calls
 */
export function orderRateOf({ table, orderCalls }: ExchangeLimits): AllowedRate {
  const lowest = lowestRate(orderCalls.flatMap((call) => rateOf(call, table) ?? []))
  if (lowest === undefined) throw new TypeError(`No limit counts ${orderCalls.join(', ')}`)
  return lowest
}

function lowestRate(rates: readonly AllowedRate[]): AllowedRate | undefined {
  return rates.toSorted((a, b) => a.perSecond - b.perSecond)[0]
}
