import type { Account } from './account.ts'
import { type Decimal, floorTo, maxOf, ZERO } from './exact-numbers.ts'
import { type ExchangeCode, type Market, type SpotRules, spotStep, spotTick } from './market.ts'
import {
  type Announce,
  type ChangeNote,
  checkChange,
  checkDraft,
  type OrderChange,
  OrderRejectedError,
  OrderShelf,
  type ShelvedOrder,
} from './order-shelf.ts'
import type { Prices } from './prices.ts'

/**
 * How long an order stays open: until cancelled, at once or not, all or nothing, only if it rests.
 */
export type Force = 'gtc' | 'ioc' | 'fok' | 'post-only'

export interface SpotDraft {
  readonly account: Account
  readonly market: Market
  readonly side: 'buy' | 'sell'
  readonly force: Force
  /** Null: a market order. */
  readonly price: Decimal | null
  /** Base coin. Null when `quoteAmount` says how much to spend. */
  readonly size: Decimal | null
  /** Quote coin to spend; market buys only. */
  readonly quoteAmount: Decimal | null
  readonly clientId: string
  /** What only the exchange's own responses show: its word for the type, attached prices. */
  readonly labels: Readonly<Record<string, string>>
}

export interface SpotOrder extends ShelvedOrder {
  readonly account: Account
  readonly market: Market
  readonly side: 'buy' | 'sell'
  readonly force: Force
  readonly price: Decimal | null
  readonly size: Decimal
  readonly quoteAmount: Decimal | null
  readonly labels: Readonly<Record<string, string>>
  readonly filledSize: Decimal
  readonly filledValue: Decimal
  readonly fee: Decimal
  readonly feeCoin: string
  /** What of the account's coins this order still holds. */
  readonly locked: Decimal
  readonly cancelReason: string
}

export interface SpotTrade {
  readonly id: string
  readonly order: SpotOrder
  readonly price: Decimal
  readonly size: Decimal
  readonly fee: Decimal
  readonly feeCoin: string
  readonly isMaker: boolean
  readonly atMs: number
}

interface SpotBookOptions {
  readonly exchange: ExchangeCode
  readonly prices: Prices
  readonly nextId: () => string
  readonly nowMs: () => number
  readonly openOrdersMax: number
  readonly announce: Announce<SpotOrder, SpotTrade>
}

/**
 * The spot orders of one exchange. The other side of every trade is the market, at the current
 * price.
 */
export class SpotBook {
  readonly orders: OrderShelf<SpotOrder, SpotTrade>
  readonly #options: SpotBookOptions
  #trades: SpotTrade[] = []

  constructor(options: SpotBookOptions) {
    this.#options = options
    this.orders = new OrderShelf(options)
  }

  /** Says what would be rejected, and changes nothing. @throws OrderRejectedError */
  check(draft: SpotDraft): void {
    this.#plan(draft)
  }

  /** Takes an order in and trades what can be traded at once. @throws OrderRejectedError */
  place(draft: SpotDraft): SpotOrder {
    const { size, hold } = this.#plan(draft)
    const { nowMs, nextId, openOrdersMax } = this.#options
    if (this.orders.open(draft.account.name).length >= openOrdersMax)
      throw new OrderRejectedError('too-many-orders', `${openOrdersMax}`)
    const order: SpotOrder = {
      id: nextId(),
      account: draft.account,
      clientId: draft.clientId,
      createdAtMs: nowMs(),
      updatedAtMs: nowMs(),
      status: 'open',
      market: draft.market,
      side: draft.side,
      force: draft.force,
      price: draft.price,
      size,
      quoteAmount: draft.quoteAmount,
      labels: draft.labels,
      filledSize: ZERO,
      filledValue: ZERO,
      fee: ZERO,
      feeCoin: draft.side === 'buy' ? draft.market.base : draft.market.quote,
      locked: hold,
      cancelReason: '',
    }
    if (!draft.account.spot.lock(holdCoin(order), hold))
      throw new OrderRejectedError('balance', holdCoin(order))
    this.orders.add(order)
    this.#takeNow(order)
    return order
  }

  /** @throws OrderRejectedError when the order is filled or cancelled already */
  cancel(order: SpotOrder, reason = 'normal_cancel'): SpotOrder {
    if (order.status !== 'open') throw new OrderRejectedError('order-state', order.status)
    this.#cancel(order, reason)
    return order
  }

  /**
   * Gives a resting order another price, and another size in all: what has traded already counts.
   * If they are rejected, the order stays unchanged.
   * @throws OrderRejectedError
   */
  amend(order: SpotOrder, { price, size }: OrderChange, note: ChangeNote<SpotTrade> = {}): void {
    checkChange(order, { price, size })
    const { spot } = order.account
    let { locked } = order
    spot.unlock(holdCoin(order), locked)
    try {
      locked = this.#plan({ ...order, price, size }, order.filledSize).hold
    } finally {
      spot.lock(holdCoin(order), locked)
    }
    this.orders.change(order, { price, size, locked }, note)
    this.#takeNow(order)
  }

  /** Trades the orders that the price has reached. */
  match(): void {
    for (const order of this.orders.open()) {
      if (order.price === null || !this.#isReached(order, order.price)) continue
      const remaining = order.size.minus(order.filledSize)
      const size = this.#options.prices.available(order.market, remaining)
      if (size.gt(ZERO)) this.#fill(order, size, order.price, true)
    }
  }

  /** Newest first. */
  tradesOf(accountName: string): readonly SpotTrade[] {
    return this.#trades.filter(({ order }) => order.account.name === accountName).toReversed()
  }

  /** What anyone may see: the trades of a pair, newest first. */
  tape(market: Market): readonly SpotTrade[] {
    return this.#trades.filter(({ order }) => order.market === market).toReversed()
  }

  clear(): void {
    this.orders.clear()
    this.#trades = []
  }

  #plan(draft: SpotDraft, filledSize = ZERO): { size: Decimal; hold: Decimal } {
    const { prices, exchange } = this.#options
    const rules = rulesOf(draft.market, exchange)
    const { bid, ask } = prices.quote(draft.market, spotTick(rules))
    const size = draft.size ?? sizeFor(draft.quoteAmount, ask, rules)
    checkDraft(
      { side: draft.side, price: draft.price, size },
      {
        ...rules,
        tick: spotTick(rules),
        step: spotStep(rules),
        lastPrice: draft.side === 'buy' ? ask : bid,
      },
    )
    const remaining = size.minus(filledSize)
    const hold =
      draft.side === 'sell' ? remaining : (draft.quoteAmount ?? remaining.times(draft.price ?? ask))
    const coin = draft.side === 'sell' ? draft.market.base : draft.market.quote
    if (draft.account.spot.free(coin).lt(hold)) throw new OrderRejectedError('balance', coin)
    return { size, hold }
  }

  #takeNow(order: SpotOrder): void {
    const { prices, exchange } = this.#options
    const { bid, ask } = prices.quote(order.market, spotTick(rulesOf(order.market, exchange)))
    const best = order.side === 'buy' ? ask : bid
    const remaining = order.size.minus(order.filledSize)
    const size = prices.available(order.market, remaining)
    const isTaker = order.price === null || this.#isReached(order, order.price)
    if (order.force === 'post-only') {
      if (isTaker) this.#cancel(order, 'post_only_would_trade')
      return
    }
    const isWhole = size.eq(remaining)
    if (isTaker && size.gt(ZERO) && (order.force !== 'fok' || isWhole))
      this.#fill(order, size, best, false)
    const mayRest = order.price !== null && order.force === 'gtc'
    if (order.status === 'open' && !mayRest) this.#cancel(order, 'not_filled_at_once')
  }

  #isReached(order: SpotOrder, price: Decimal): boolean {
    const rules = rulesOf(order.market, this.#options.exchange)
    const { bid, ask } = this.#options.prices.quote(order.market, spotTick(rules))
    return order.side === 'buy' ? ask.lte(price) : bid.gte(price)
  }

  #fill(order: SpotOrder, size: Decimal, price: Decimal, isMaker: boolean): void {
    const { exchange, prices, nextId, nowMs } = this.#options
    const wallet = order.account.spot
    const rules = rulesOf(order.market, exchange)
    const value = size.times(price)
    const [paid, received] = order.side === 'buy' ? [value, size] : [size, value]
    const fee = received.times(isMaker ? rules.makerFeeRate : rules.takerFeeRate)
    wallet.spend(holdCoin(order), paid)
    wallet.credit(order.feeCoin, received.minus(fee))
    prices.consume(order.market, size)
    const { feeCoin } = order
    const trade = { id: nextId(), order, price, size, fee, feeCoin, isMaker, atMs: nowMs() }
    this.#trades.push(trade)
    const filledSize = order.filledSize.plus(size)
    const locked = order.locked.minus(paid)
    const isFilled = filledSize.gte(order.size)
    // What a better price has saved is free again.
    if (isFilled) wallet.unlock(holdCoin(order), locked)
    this.orders.change(
      order,
      {
        filledSize,
        filledValue: order.filledValue.plus(value),
        fee: order.fee.plus(fee),
        locked: isFilled ? ZERO : locked,
        status: isFilled ? 'filled' : 'open',
      },
      { trade },
    )
  }

  // What never traded is free again.
  #cancel(order: SpotOrder, cancelReason: string): void {
    order.account.spot.unlock(holdCoin(order), order.locked)
    this.orders.change(order, { locked: ZERO, cancelReason, status: 'cancelled' })
  }
}

const holdCoin = ({ side, market }: Pick<SpotOrder, 'side' | 'market'>): string =>
  side === 'buy' ? market.quote : market.base

function rulesOf(market: Market, exchange: ExchangeCode): SpotRules {
  const rules = market.spot[exchange]
  if (rules === undefined || !rules.isOpen)
    throw new OrderRejectedError('symbol-closed', market.name)
  return rules
}

/** What an amount of quote coin buys at the best ask, whole steps only. */
function sizeFor(quoteAmount: Decimal | null, ask: Decimal, rules: SpotRules): Decimal {
  if (quoteAmount === null) throw new OrderRejectedError('size-missing')
  if (quoteAmount.lt(rules.minValue))
    throw new OrderRejectedError('value-small', rules.minValue.toFixed())
  const size = floorTo(quoteAmount.dividedBy(ask), spotStep(rules))
  return maxOf(size, ZERO)
}
