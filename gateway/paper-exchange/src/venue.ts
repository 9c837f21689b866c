import type { Accounts } from './account.ts'
import type { ContractBook } from './contract-book.ts'
import type { ContractOrder, ContractTrade } from './contract-order.ts'
import type { ExchangeCode, Market } from './market.ts'
import type { ListenKeys } from './mexc/listen-keys.ts'
import type { ChangeNote, ShelvedOrder } from './order-shelf.ts'
import type { BookVersion, Prices } from './prices.ts'
import type { RateLimits } from './rate-limits.ts'
import type { SpotBook, SpotOrder, SpotTrade } from './spot-book.ts'
import type { PlanBook, PlanOrder, TriggerBook, TriggerOrder } from './trigger-book.ts'

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

interface ChangeOf<Kind extends string, Order extends ShelvedOrder, Trade> {
  readonly kind: Kind
  readonly order: Order
  readonly note: ChangeNote<Trade>
}

/** An order in its new state. */
export type Change =
  | ChangeOf<'spot', SpotOrder, SpotTrade>
  | ChangeOf<'contract', ContractOrder, ContractTrade>
  | ChangeOf<'plan', PlanOrder, never>
  | ChangeOf<'trigger', TriggerOrder, never>

interface ChangeListener {
  /** Called within the change: an order may have another state a moment later. */
  changed(change: Change): void
  /**
   * Everything that a request, a tick or a planned act does has been done: balances and positions
   * may differ from what they were.
   */
  settled(): void
}

/** Where one exchange says what happens on it. Its WebSocket feeds listen. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>()

  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(change: Change): void {
    for (const listener of this.#listeners) listener.changed(change)
  }

  settle(): void {
    for (const listener of this.#listeners) listener.settled()
  }
}
