import type { ContractOrder, ContractTrade } from './contract-order.ts'
import type { ChangeNote, ShelvedOrder } from './order-shelf.ts'
import type { SpotOrder, SpotTrade } from './spot-book.ts'
import type { PlanOrder, TriggerOrder } from './trigger-book.ts'

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

export interface ChangeListener {
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
