import { type Account, positionAt } from './account.ts'
import type { ContractBook } from './contract-book.ts'
import { type Decimal, minOf, ZERO } from './decimal.ts'
import { OrderRejectedError } from './errors.ts'
import type { Market } from './market.ts'
import { OrderShelf, type ShelvedOrder } from './order-shelf.ts'
import type { Slot } from './position.ts'
import type { Prices } from './prices.ts'

/** A price at which a position is left: with profit, or to stop a loss. */
export interface Exit {
  readonly trigger: Decimal
  /** Null: at the market. */
  readonly limit: Decimal | null
}

/** What an order brings along for the position that it opens. */
export interface Exits {
  readonly takeProfit: Exit | null
  readonly stopLoss: Exit | null
}

export const noExits: Exits = { takeProfit: null, stopLoss: null }

export interface NewTrigger extends Exit {
  readonly account: Account
  readonly market: Market
  readonly slot: Slot
  readonly kind: 'take-profit' | 'stop-loss'
  /** Base coin; null is all that is held when the price comes. */
  readonly size: Decimal | null
  readonly clientId: string
  /** The exchange's word for the kind. */
  readonly label: string
}

export interface TriggerOrder extends ShelvedOrder, Omit<NewTrigger, 'account' | 'clientId'> {
  readonly account: Account
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
    const order: TriggerOrder = { ...trigger, id: nextId(), createdAtMs: nowMs(), status: 'open' }
    this.orders.add(order)
    return order
  }

  cancel(order: TriggerOrder): void {
    this.orders.close(order, 'cancelled')
  }

  /** Closes what the price has reached; forgets what has no position left. */
  match(): void {
    for (const order of this.orders.open()) {
      const held = positionAt(order.account, order.market, order.slot)
      if (held === undefined) {
        this.cancel(order)
        continue
      }
      const { last } = this.#options.prices.of(order.market)
      const waitsAbove = (order.kind === 'take-profit') === (held.side === 'long')
      const isReached = waitsAbove ? last.gte(order.trigger) : last.lte(order.trigger)
      if (isReached) this.#close(order, held.side, held.size)
    }
  }

  clear(): void {
    this.orders.clear()
  }

  #close(order: TriggerOrder, side: 'long' | 'short', held: Decimal): void {
    const { contracts } = this.#options
    const { account, market, slot } = order
    const position = positionAt(account, market, slot)
    const left = held.minus(contracts.closing(account, market, slot))
    const size = minOf(order.size ?? left, left)
    this.orders.close(order, 'filled')
    if (position === undefined || size.lte(ZERO)) return
    try {
      contracts.place({
        account,
        market,
        slot,
        side: side === 'long' ? 'sell' : 'buy',
        isReduceOnly: true,
        force: order.limit === null ? 'ioc' : 'gtc',
        price: order.limit,
        size,
        leverage: position.leverage,
        marginMode: position.marginMode,
        clientId: `trigger-${order.id}`,
        labels: {},
        exits: noExits,
      })
    } catch (error) {
      // As on a real exchange, a triggered order can fail, and then is gone.
      if (!(error instanceof OrderRejectedError)) throw error
      order.status = 'cancelled'
    }
  }
}
