import type { Exchange } from './adapter.ts'
import { bitget } from './bitget/index.ts'
import type { AccountKind, ExchangeCode, Family } from './exchange.ts'
import type { FeedProtocol } from './feed.ts'
import { type AllowedRate, orderRateOf } from './limits.ts'
import { mexcFutures } from './mexc-futures/index.ts'
import { mexcSpot } from './mexc-spot/index.ts'

/** The adapters that the gateway has. */
export interface Adapters {
  readonly all: readonly Exchange[]
  /** @throws TypeError when the family has none */
  readonly of: (family: Family) => Exchange
  /** Those of an exchange; the first tells its time. @throws TypeError when there is none */
  readonly ofCode: (code: ExchangeCode) => readonly [Exchange, ...Exchange[]]
}

export function createAdapters(all: readonly Exchange[]): Adapters {
  const byFamily = new Map(all.map((adapter) => [adapter.family, adapter]))
  return {
    all,
    of(family) {
      const adapter = byFamily.get(family)
      if (adapter === undefined) throw new TypeError(`There is no adapter for "${family}"`)
      return adapter
    },
    ofCode(code) {
      const [first, ...others] = all.filter((adapter) => adapter.code === code)
      if (first === undefined) throw new TypeError(`There is no adapter for "${code}"`)
      return [first, ...others]
    },
  }
}

const byFamily: Readonly<Record<Family, Exchange>> = {
  'mexc-spot': mexcSpot,
  'mexc-futures': mexcFutures,
  bitget,
}

/** Every exchange that the gateway can reach. */
export const adapters = createAdapters(Object.values(byFamily))

/**
 * The private feeds of an account at an exchange. Where there are several kinds of accounts, there
 * is none until the kind is known: the feed of the other kind logs in and stays silent.
 * @param kind of the account; null while it is unknown
 */
export function feedsOf(
  exchange: ExchangeCode,
  kind: AccountKind | null,
  from = adapters,
): FeedProtocol[] {
  return from
    .ofCode(exchange)
    .flatMap(({ feeds = [] }) => feeds)
    .filter(({ accountKind }) => accountKind === undefined || accountKind === kind)
}

/** The name under which people know the exchange of a family. */
export function exchangeName(family: Family, from = adapters): string {
  return from.of(family).name
}

/** The rate that one API allows. */
interface FamilyRate extends AllowedRate {
  /** Of the API: `MEXC futures`. */
  readonly title: string
}

/**
 * The highest rate that is safe for an exchange's lane when every call is an order of one account
 * (`orderRateOf`). The APIs of an exchange share its lane, and all calls may go to one of them: the
 * lowest of their rates counts.
 */
export function allowedRate(exchange: ExchangeCode, from = adapters): FamilyRate {
  const [first, ...others] = from.ofCode(exchange)
  return others
    .map(familyRate)
    .reduce(
      (lowest, rate) => (rate.perSecond < lowest.perSecond ? rate : lowest),
      familyRate(first),
    )
}

function familyRate({ title, limits }: Exchange): FamilyRate {
  return { title, ...orderRateOf(limits) }
}
