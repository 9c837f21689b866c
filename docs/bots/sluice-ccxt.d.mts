import type { Exchange } from 'ccxt'

type Settings = ConstructorParameters<typeof Exchange>[0]

/**
 * An exchange of ccxt whose calls, and `watch…` calls, go to the gateway. An error has `sluice`, `outcome` and
 * `retryable` (`ViaSluice` of `sluice-bots/token`) when Sluice made it.
 * @param Exchange `ccxt.mexc` or `ccxt.bitget`; of `ccxt.pro` for the `watch…` calls
 * @param family `mx` for `ccxt.mexc`, `bg` for `ccxt.bitget`
 */
export function viaSluice<E extends Exchange>(
  Exchange: new (settings?: Settings) => E,
  family: 'mx' | 'bg',
  settings?: Settings,
): E
