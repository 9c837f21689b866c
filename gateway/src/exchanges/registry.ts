import { bitget } from './bitget/index.ts'
import type { Exchange, ExchangeCode, Family } from './exchange.ts'
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

/** The name under which people know the exchange of a family. */
export function exchangeName(family: Family, from = adapters): string {
  return from.of(family).name
}
