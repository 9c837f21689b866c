import { type Account, positionAt } from './account.ts'
import type { ContractBook } from './contract-book.ts'
import { type Decimal, minOf, ZERO } from './decimal.ts'
import type { Market } from './market.ts'
import { OrderShelf, type ShelvedOrder } from './order-shelf.ts'
import { placeTriggered } from './place-triggered.ts'
import type { Position, Slot } from './position.ts'
import type { Prices } from './prices.ts'

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

export interface NewTrigger {
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
  exits: Exits
  size: Decimal | null
  /** Which exit the price has reached. */
  reached: keyof Exits | null
  updatedAtMs: number
}

export interface TriggerBookOptions {
  readonly contracts: ContractBook
  readonly prices: Prices
  readonly nextId: () => string
  readonly nowMs: () => number
}

/** Orders that wait for a price and then close a position, or a part of it. */
export class TriggerBook {
  readonly orders = new OrderShelf<TriggerOrder>()
  readonly #options: TriggerBookOptions

  constructor(options: TriggerBookOptions) {
    this.#options = options
  }

  add(trigger: NewTrigger): TriggerOrder {
    const { nextId, nowMs } = this.#options
    const order: TriggerOrder = {
      ...trigger,
      id: nextId(),
      createdAtMs: nowMs(),
      updatedAtMs: nowMs(),
      status: 'open',
      reached: null,
    }
    this.orders.add(order)
    return order
  }

  cancel(order: TriggerOrder): void {
    order.updatedAtMs = this.#options.nowMs()
    this.orders.close(order, 'cancelled')
  }

  change(order: TriggerOrder, change: Partial<Pick<NewTrigger, 'exits' | 'size'>>): void {
    Object.assign(order, change)
    order.updatedAtMs = this.#options.nowMs()
  }

  /** Closes what the price has reached; forgets what has no position left. */
  match(): void {
    for (const order of this.orders.open()) {
      const held = positionAt(order.account, order.market, order.slot)
      if (held === undefined || held.side !== order.side) {
        this.cancel(order)
        continue
      }
      const { last } = this.#options.prices.of(order.market)
      const reached = EXIT_NAMES.find((name) => isReached(order, name, last))
      if (reached !== undefined) this.#close(order, reached, held)
    }
  }

  clear(): void {
    this.orders.clear()
  }

  #close(order: TriggerOrder, reached: keyof Exits, held: Position): void {
    const { contracts, nowMs } = this.#options
    const { account, market, slot } = order
    const left = held.size.minus(contracts.closing(account, market, slot))
    const size = minOf(order.size ?? left, left)
    order.reached = reached
    order.updatedAtMs = nowMs()
    this.orders.close(order, 'filled')
    if (size.lte(ZERO)) return
    const limit = order.exits[reached]?.limit ?? null
    const made = placeTriggered(contracts, {
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
    if (made === undefined) order.status = 'cancelled'
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
