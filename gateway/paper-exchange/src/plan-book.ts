import type { ContractBook } from './contract-book.ts'
import type { ContractDraft } from './contract-order.ts'
import { type Decimal, maxOf, minOf } from './decimal.ts'
import { OrderShelf, type ShelvedOrder } from './order-shelf.ts'
import { placeTriggered } from './place-triggered.ts'
import type { Prices } from './prices.ts'

/** Waits for a price. */
export interface FixedTrigger {
  readonly kind: 'fixed'
  readonly price: Decimal
  readonly isAbove: boolean
}

/** Follows the price from the activation on, and waits until it turns back this far. */
export interface TrailingTrigger {
  readonly kind: 'trailing'
  /** Null: active at once. */
  readonly activation: Decimal | null
  readonly back: Decimal
  /** `back` is a part of the best price, not an amount. */
  readonly isRatio: boolean
}

export interface NewPlan {
  readonly draft: ContractDraft
  readonly trigger: FixedTrigger | TrailingTrigger
  /** Wall clock, ms; null: it waits without an end. */
  readonly expiresAtMs: number | null
  /** What only the exchange's own responses show. */
  readonly labels: Readonly<Record<string, string>>
}

export interface PlanOrder extends ShelvedOrder, NewPlan {
  /** Of a trailing order that is active: the highest or lowest price since. */
  best: Decimal | null
  /** The order that it made; empty before. */
  madeOrderId: string
  /** Why it ended without being cancelled; null when it was, or still waits. */
  failure: 'expired' | 'rejected' | null
  updatedAtMs: number
}

export interface PlanBookOptions {
  readonly contracts: ContractBook
  readonly prices: Prices
  readonly nextId: () => string
  readonly nowMs: () => number
}

/** Orders that wait for a price and then are placed. */
export class PlanBook {
  readonly orders = new OrderShelf<PlanOrder>()
  readonly #options: PlanBookOptions

  constructor(options: PlanBookOptions) {
    this.#options = options
  }

  add(plan: NewPlan): PlanOrder {
    const { nextId, nowMs } = this.#options
    const order: PlanOrder = {
      ...plan,
      ...{ id: nextId(), account: plan.draft.account, clientId: '' },
      ...{ createdAtMs: nowMs(), updatedAtMs: nowMs(), status: 'open' },
      ...{ best: null, madeOrderId: '', failure: null },
    }
    this.orders.add(order)
    this.#follow(order)
    return order
  }

  cancel(order: PlanOrder): void {
    this.#close(order, 'cancelled')
  }

  /** Places what the price has reached. */
  match(): void {
    for (const order of this.orders.open()) {
      if (order.expiresAtMs !== null && this.#options.nowMs() >= order.expiresAtMs) {
        order.failure = 'expired'
        this.#close(order, 'cancelled')
      } else {
        this.#follow(order)
        if (this.#isReached(order)) this.#place(order)
      }
    }
  }

  clear(): void {
    this.orders.clear()
  }

  #follow(order: PlanOrder): void {
    const { trigger, draft } = order
    if (trigger.kind === 'fixed') return
    const { last } = this.#options.prices.of(draft.market)
    const isSell = draft.side === 'sell'
    const { activation } = trigger
    const isActive = activation === null || (isSell ? last.gte(activation) : last.lte(activation))
    if (order.best === null && !isActive) return
    order.best = isSell ? maxOf(order.best ?? last, last) : minOf(order.best ?? last, last)
  }

  #isReached(order: PlanOrder): boolean {
    const { trigger, draft } = order
    const { last } = this.#options.prices.of(draft.market)
    if (trigger.kind === 'fixed')
      return trigger.isAbove ? last.gte(trigger.price) : last.lte(trigger.price)
    const price = trailedPrice(order)
    if (price === null) return false
    return draft.side === 'sell' ? last.lte(price) : last.gte(price)
  }

  #place(order: PlanOrder): void {
    const draft = { ...order.draft, clientId: `plan-${order.id}` }
    const made = placeTriggered(this.#options.contracts, draft)
    if (made === undefined) order.failure = 'rejected'
    else order.madeOrderId = made.id
    this.#close(order, made === undefined ? 'cancelled' : 'filled')
  }

  #close(order: PlanOrder, status: 'filled' | 'cancelled'): void {
    order.updatedAtMs = this.#options.nowMs()
    this.orders.close(order, status)
  }
}

/** The price that a trailing order waits for; null before its activation, and of another one. */
export function trailedPrice({ trigger, draft, best }: PlanOrder): Decimal | null {
  if (trigger.kind === 'fixed' || best === null) return null
  const back = trigger.isRatio ? best.times(trigger.back) : trigger.back
  return draft.side === 'sell' ? best.minus(back) : best.plus(back)
}
