import type { Accounts } from './account.ts'
import type { Changes } from './changes.ts'
import type { ContractBook } from './contract-book.ts'
import type { ExchangeCode, Market } from './market.ts'
import type { ListenKeys } from './mexc/listen-keys.ts'
import type { BookVersion, Prices } from './prices.ts'
import type { RateLimits } from './rate-limits.ts'
import type { SpotBook } from './spot-book.ts'
import type { PlanBook, TriggerBook } from './trigger-book.ts'

/** Where public knowledge of the real exchanges ends, and a test may want either behaviour. */
export interface VenueHabits {
  /**
   * What MEXC spot does with a client order id it has seen: not documented
   * (docs/exchanges/mexc.md, 5).
   */
  readonly mexcSpotDuplicates: 'accept' | 'reject'
  /**
   * What MEXC futures does with an id of an open order: 2042 is documented, nobody is known to have
   * met it.
   */
  readonly mexcFuturesDuplicates: 'accept' | 'reject'
  /**
   * What Bitget does with an id of an open order: it says that it rejects it. Of an order that has
   * ended it accepts it.
   */
  readonly bitgetDuplicates: 'accept' | 'reject'
  /**
   * Delay of Bitget's futures modify-order, which cancels and places again on its own time.
   * Milliseconds.
   */
  readonly bitgetModifyDelayMs: number
}

/** One exchange behind the protocol: its accounts, prices, books, limits. */
export interface Venue {
  readonly exchange: ExchangeCode
  readonly markets: readonly Market[]
  readonly accounts: Accounts
  readonly prices: Prices
  readonly spot: SpotBook
  readonly contracts: ContractBook
  readonly triggers: TriggerBook
  readonly plans: PlanBook
  readonly limits: RateLimits
  readonly bookVersion: BookVersion
  /** MEXC spot's. */
  readonly listenKeys: ListenKeys
  /** What happens on the exchange, for its WebSocket feeds. */
  readonly changes: Changes
  readonly habits: VenueHabits
  /** Ids for what is neither an order nor a trade. */
  readonly nextId: () => string
  /** The exchange's own clock, which a fault does not move. */
  readonly nowMs: () => number
  /** Does something on the exchange's own time; at the next tick at the latest. */
  readonly later: (delayMs: number, work: () => void) => void
}

/** Every coin that the exchange's spot pairs are made of, in the order of the pairs. */
export function coinsOf({ markets, exchange }: Venue): readonly string[] {
  return [
    ...new Set(markets.filter(isListedOn(exchange)).flatMap(({ base, quote }) => [base, quote])),
  ]
}

const isListedOn =
  (exchange: ExchangeCode) =>
  ({ spot }: Venue['markets'][number]): boolean =>
    spot[exchange] !== undefined
