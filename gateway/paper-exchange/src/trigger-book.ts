import { type Account, type Position, positionAt, type Slot } from './account.ts'
import type { ContractBook } from './contract-book.ts'
import type { ContractDraft } from './contract-order.ts'
import { type Decimal, maxOf, minOf, ZERO } from './exact-numbers.ts'
import type { Market } from './market.ts'
import { type Announce, OrderRejectedError, OrderShelf, type ShelvedOrder } from './order-shelf.ts'
import type { Prices } from './prices.ts'

interface WaitingOrdersOptions<Order> {
  readonly contracts: ContractBook
  readonly prices: Prices
  readonly nextId: () => string
  readonly nowMs: () => number
  readonly announce: Announce<Order>
}

/** Orders that wait for a price. Each kind says what they do then. */
abstract class WaitingOrders<Order extends ShelvedOrder> {
  readonly orders: OrderShelf<Order>
  protected readonly options: WaitingOrdersOptions<Order>

  constructor(options: WaitingOrdersOptions<Order>) {
    this.options = options
    this.orders = new OrderShelf(options)
  }

  /** Does what the price has reached. */
  abstract match(): void

  abstract cancel(order: Order): void

  clear(): void {
    this.orders.clear()
  }

  protected newOrder() {
    const { nextId, nowMs } = this.options
    return { id: nextId(), createdAtMs: nowMs(), updatedAtMs: nowMs(), status: 'open' } as const
  }

  /** @returns undefined when it was rejected: as on a real exchange, it is gone then */
  protected place(draft: ContractDraft) {
    try {
      return this.options.contracts.place(draft)
    } catch (error) {
      if (!(error instanceof OrderRejectedError)) throw error
      return undefined
    }
  }
}

/** A price at which a position is left: with profit, or to stop a loss. */
export interface Exit {
  readonly trigger: Decimal
  /** Null: at the market. */
  readonly limit: Decimal | null
  /** Which price is compared with the trigger. The paper exchange has the same for both. */
  readonly watches: 'last' | 'mark'
}

/** What an order brings along for the position that it opens. */
export interface Exits {
  readonly takeProfit: Exit | null
  readonly stopLoss: Exit | null
}

export const EXIT_NAMES = ['takeProfit', 'stopLoss'] as const

export const noExits: Exits = { takeProfit: null, stopLoss: null }

interface NewTrigger {
  readonly account: Account
  readonly market: Market
  readonly slot: Slot
  /** Of the position that it ends. */
  readonly side: 'long' | 'short'
  /** One of the two, or both: then the first that is reached ends the order. */
  readonly exits: Exits
  /** Base coin; null is all that is held when the price comes. */
  readonly size: Decimal | null
  readonly clientId: string
}

export interface TriggerOrder
  extends ShelvedOrder,
    Omit<NewTrigger, 'account' | 'clientId' | 'exits' | 'size'> {
  readonly account: Account
  readonly exits: Exits
  readonly size: Decimal | null
  /** Which exit the price has reached. */
  readonly reached: keyof Exits | null
}

/** Orders that wait for a price and then close a position, or a part of it. */
export class TriggerBook extends WaitingOrders<TriggerOrder> {
  add(trigger: NewTrigger): TriggerOrder {
    const order: TriggerOrder = { ...trigger, ...this.newOrder(), reached: null }
    this.orders.add(order)
    return order
  }

  change(order: TriggerOrder, change: Partial<Pick<NewTrigger, 'exits' | 'size'>>): void {
    this.orders.change(order, change)
  }

  cancel(order: TriggerOrder): void {
    this.orders.change(order, { status: 'cancelled' })
  }

  /** Closes what the price has reached; forgets what has no position left. */
  match(): void {
    for (const order of this.orders.open()) {
      const held = positionAt(order.account, order.market, order.slot)
      if (held === undefined || held.side !== order.side) {
        this.cancel(order)
        continue
      }
      const { last } = this.options.prices.of(order.market)
      const reached = EXIT_NAMES.find((name) => isReached(order, name, last))
      if (reached !== undefined) this.#leave(order, reached, held)
    }
  }

  #leave(order: TriggerOrder, reached: keyof Exits, held: Position): void {
    const { account, market, slot } = order
    const left = held.size.minus(this.options.contracts.closing(account, market, slot))
    const size = minOf(order.size ?? left, left)
    if (size.lte(ZERO)) {
      this.orders.change(order, { reached, status: 'filled' })
      return
    }
    const limit = order.exits[reached]?.limit ?? null
    const made = this.place({
      ...{ account, market, slot, size, price: limit },
      side: held.side === 'long' ? 'sell' : 'buy',
      isReduceOnly: true,
      force: limit === null ? 'ioc' : 'gtc',
      leverage: held.leverage,
      marginMode: held.marginMode,
      clientId: `trigger-${order.id}`,
      labels: {},
      exits: noExits,
    })
    this.orders.change(order, { reached, status: made === undefined ? 'cancelled' : 'filled' })
  }
}

/** Whether a price above the market ends the position with this exit, or one below. */
export const isAbove = (side: 'long' | 'short', name: keyof Exits): boolean =>
  (name === 'takeProfit') === (side === 'long')

function isReached({ exits, side }: TriggerOrder, name: keyof Exits, last: Decimal): boolean {
  const exit = exits[name]
  if (exit === null) return false
  return isAbove(side, name) ? last.gte(exit.trigger) : last.lte(exit.trigger)
}

/** Waits for a price. */
interface FixedTrigger {
  readonly kind: 'fixed'
  readonly price: Decimal
  readonly isAbove: boolean
}

/** Follows the price from the activation on, and waits until it turns back this far. */
interface TrailingTrigger {
  readonly kind: 'trailing'
  /** Null: active at once. */
  readonly activation: Decimal | null
  readonly back: Decimal
  /** `back` is a part of the best price, not an amount. */
  readonly isRatio: boolean
}

interface NewPlan {
  readonly draft: ContractDraft
  readonly trigger: FixedTrigger | TrailingTrigger
  /** Wall clock, ms; null: it waits without an end. */
  readonly expiresAtMs: number | null
  /** What only the exchange's own responses show. */
  readonly labels: Readonly<Record<string, string>>
}

export interface PlanOrder extends ShelvedOrder, NewPlan {
  /** Of a trailing order that is active: the highest or lowest price since. */
  readonly best: Decimal | null
  /** The order that it made; empty before. */
  readonly madeOrderId: string
  /** Why it ended without being cancelled; null when it was, or still waits. */
  readonly failure: 'expired' | 'rejected' | null
}

/** Orders that wait for a price and then are placed. */
export class PlanBook extends WaitingOrders<PlanOrder> {
  add(plan: NewPlan): PlanOrder {
    const order: PlanOrder = {
      ...{ ...plan, ...this.newOrder(), account: plan.draft.account, clientId: '' },
      ...{ best: null, madeOrderId: '', failure: null },
    }
    this.orders.add(order)
    this.#follow(order)
    return order
  }

  /** Places what the price has reached. */
  match(): void {
    for (const order of this.orders.open()) {
      if (order.expiresAtMs !== null && this.options.nowMs() >= order.expiresAtMs) {
        this.orders.change(order, { failure: 'expired', status: 'cancelled' })
      } else {
        this.#follow(order)
        if (this.#isReached(order)) this.#placeOrder(order)
      }
    }
  }

  cancel(order: PlanOrder): void {
    this.orders.change(order, { status: 'cancelled' })
  }

  #follow(order: PlanOrder): void {
    const { trigger, draft } = order
    if (trigger.kind === 'fixed') return
    const { last } = this.options.prices.of(draft.market)
    const isSell = draft.side === 'sell'
    const { activation } = trigger
    const isActive = activation === null || (isSell ? last.gte(activation) : last.lte(activation))
    if (order.best === null && !isActive) return
    const best = isSell ? maxOf(order.best ?? last, last) : minOf(order.best ?? last, last)
    if (order.best?.eq(best) !== true) this.orders.change(order, { best })
  }

  #isReached(order: PlanOrder): boolean {
    const { trigger, draft } = order
    const { last } = this.options.prices.of(draft.market)
    if (trigger.kind === 'fixed')
      return trigger.isAbove ? last.gte(trigger.price) : last.lte(trigger.price)
    const price = trailedPrice(order)
    if (price === null) return false
    return draft.side === 'sell' ? last.lte(price) : last.gte(price)
  }

  #placeOrder(order: PlanOrder): void {
    const made = this.place({ ...order.draft, clientId: `plan-${order.id}` })
    this.orders.change(
      order,
      made === undefined
        ? { failure: 'rejected', status: 'cancelled' }
        : { madeOrderId: made.id, status: 'filled' },
    )
  }
}

/** The price that a trailing order waits for; null before its activation, and of another one. */
export function trailedPrice({ trigger, draft, best }: PlanOrder): Decimal | null {
  if (trigger.kind === 'fixed' || best === null) return null
  const back = trigger.isRatio ? best.times(trigger.back) : trigger.back
  return draft.side === 'sell' ? best.minus(back) : best.plus(back)
}
