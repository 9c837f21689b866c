import { type Account, futuresWallet, positionAt, positionsOf, type Slot } from './account.ts'
import {
  type ContractDraft,
  type ContractOrder,
  type ContractTrade,
  isAgainst,
} from './contract-order.ts'
import { type Decimal, maxOf, minOf, ZERO } from './exact-numbers.ts'
import type { ContractRules, ExchangeCode, Market } from './market.ts'
import {
  type Announce,
  type ChangeNote,
  checkChange,
  checkDraft,
  type OrderChange,
  OrderRejectedError,
  OrderShelf,
} from './order-shelf.ts'
import { isBankrupt, PositionDesk } from './position.ts'
import type { Prices } from './prices.ts'
import { noExits } from './trigger-book.ts'

interface ContractBookOptions {
  readonly exchange: ExchangeCode
  readonly prices: Prices
  readonly nextId: () => string
  readonly nowMs: () => number
  readonly openOrdersMax: number
  /** Called once, when an order has traded for the first time. */
  readonly onFirstTrade: (order: ContractOrder) => void
  readonly announce: Announce<ContractOrder, ContractTrade>
}

/**
 * The futures orders of one exchange. The other side of every trade is the market, at the current
 * price.
 */
export class ContractBook {
  readonly orders: OrderShelf<ContractOrder, ContractTrade>
  readonly #options: ContractBookOptions
  readonly #desk: PositionDesk
  #trades: ContractTrade[] = []

  constructor(options: ContractBookOptions) {
    this.#options = options
    this.#desk = new PositionDesk(options)
    this.orders = new OrderShelf(options)
  }

  /** Takes an order in and trades what can be traded at once. @throws OrderRejectedError */
  place(draft: ContractDraft): ContractOrder {
    const { openOrdersMax } = this.#options
    const frozen = this.#plan(draft, draft.size)
    if (this.orders.open(draft.account.name).length >= openOrdersMax)
      throw new OrderRejectedError('too-many-orders', `${openOrdersMax}`)
    return this.#enter(draft, frozen)
  }

  /** @throws OrderRejectedError when the order is filled or cancelled already */
  cancel(order: ContractOrder, reason = 'normal_cancel'): ContractOrder {
    if (order.status !== 'open') throw new OrderRejectedError('order-state', order.status)
    this.#cancel(order, reason)
    return order
  }

  /**
   * Gives a resting order another price, and another size in all: what has traded already counts.
   * If they are rejected, the order stays unchanged.
   * @throws OrderRejectedError
   */
  amend(
    order: ContractOrder,
    { price, size }: OrderChange,
    note: ChangeNote<ContractTrade> = {},
  ): void {
    checkChange(order, { price, size })
    const wallet = futuresWallet(order.account, order.market.quote)
    let { frozen } = order
    wallet.unfreeze(frozen)
    try {
      // What it means to close is not in its own way.
      const needed = this.#plan({ ...order, price, size }, size.minus(order.filledSize), order)
      if (wallet.available.lt(needed)) throw new OrderRejectedError('margin', order.market.quote)
      frozen = needed
    } finally {
      wallet.freeze(frozen)
    }
    this.orders.change(order, { price, size, frozen }, note)
    this.#takeNow(order)
  }

  /** Changes the exits that an order brings along. */
  setExits(
    order: ContractOrder,
    exits: ContractOrder['exits'],
    note: ChangeNote<ContractTrade> = {},
  ): void {
    this.orders.change(order, { exits }, note)
  }

  /**
   * What resting orders already mean to close of what is held in a slot: the exchanges show it as
   * frozen. One that outlived its position, or a part of it, freezes at most what is there.
   * @param except is not counted
   */
  closing(account: Account, market: Market, slot: Slot, except?: ContractOrder): Decimal {
    const held = positionAt(account, market, slot)
    if (held === undefined) return ZERO
    const wanted = this.#closers(account, market, slot)
      .filter((order) => order !== except && isAgainst(order, held))
      .reduce((sum, order) => sum.plus(order.size.minus(order.filledSize)), ZERO)
    return minOf(wanted, held.size)
  }

  /** Takes the orders away that mean to close a slot. */
  cancelClosing(account: Account, market: Market, slot: Slot, reason = 'displaced'): void {
    for (const order of this.#closers(account, market, slot)) this.#cancel(order, reason)
  }

  /**
   * Trades the orders that the price has reached, and takes positions away that nothing backs any
   * more.
   */
  match(accounts: readonly Account[]): void {
    for (const order of this.orders.open()) {
      if (order.price === null || !this.#isReached(order, order.price)) continue
      const remaining = order.size.minus(order.filledSize)
      const size = this.#options.prices.available(order.market, remaining)
      if (size.gt(ZERO)) this.#fill(order, size, order.price, true)
    }
    for (const account of accounts) this.#liquidate(account)
  }

  /** Newest first. */
  tradesOf(accountName: string): readonly ContractTrade[] {
    return this.#trades.filter(({ order }) => order.account.name === accountName).toReversed()
  }

  /** What anyone may see: the trades of a pair, newest first. */
  tape(market: Market): readonly ContractTrade[] {
    return this.#trades.filter(({ order }) => order.market === market).toReversed()
  }

  clear(): void {
    this.orders.clear()
    this.#trades = []
  }

  #enter(draft: ContractDraft, frozen: Decimal): ContractOrder {
    const { nowMs, nextId } = this.#options
    const order: ContractOrder = {
      ...draft,
      id: nextId(),
      createdAtMs: nowMs(),
      updatedAtMs: nowMs(),
      status: 'open',
      positionMode: draft.account.futures.positionMode,
      filledSize: ZERO,
      filledValue: ZERO,
      fee: ZERO,
      profit: ZERO,
      frozen,
      positionId: positionAt(draft.account, draft.market, draft.slot)?.id ?? '',
      cancelReason: '',
    }
    if (!futuresWallet(draft.account, draft.market.quote).freeze(frozen)) {
      throw new OrderRejectedError('margin', draft.market.quote)
    }
    this.orders.add(order)
    this.#takeNow(order)
    return order
  }

  /** What the order has to freeze for the part of it that is to trade yet. */
  #plan(draft: ContractDraft, remaining: Decimal, changed?: ContractOrder): Decimal {
    const { prices } = this.#options
    const rules = this.#rulesOf(draft.market)
    const { bid, ask } = prices.quote(draft.market, rules.priceTick)
    const best = draft.side === 'buy' ? ask : bid
    checkDraft(draft, {
      ...rules,
      tick: rules.priceTick,
      step: rules.sizeStep,
      lastPrice: best,
      isValueFree: draft.isReduceOnly,
    })
    if (draft.leverage < 1 || draft.leverage > rules.maxLeverage) {
      throw new OrderRejectedError('leverage', `${rules.maxLeverage}`)
    }
    return this.#marginFor({ ...draft, size: remaining }, { best, rules, changed })
  }

  #marginFor(
    draft: ContractDraft,
    {
      best,
      rules,
      changed,
    }: { best: Decimal; rules: ContractRules; changed: ContractOrder | undefined },
  ): Decimal {
    const held = positionAt(draft.account, draft.market, draft.slot)
    const against = held !== undefined && isAgainst(draft, held) ? held.size : ZERO
    if (draft.isReduceOnly) {
      if (against.isZero()) throw new OrderRejectedError('no-position', draft.market.name)
      const left = against.minus(this.closing(draft.account, draft.market, draft.slot, changed))
      if (draft.size.gt(left)) throw new OrderRejectedError('position-small', left.toFixed())
      return ZERO
    }
    if (held !== undefined && held.marginMode !== draft.marginMode) {
      throw new OrderRejectedError('margin-mode', draft.market.name)
    }
    if (held !== undefined && against.isZero() && held.leverage !== draft.leverage) {
      throw new OrderRejectedError('leverage', `${held.leverage}`)
    }
    const price =
      draft.price === null ? best : draft.side === 'sell' ? maxOf(draft.price, best) : draft.price
    const value = maxOf(draft.size.minus(against), ZERO).times(price)
    return value.dividedBy(draft.leverage).plus(value.times(rules.takerFeeRate)).decimalPlaces(18)
  }

  #takeNow(order: ContractOrder): void {
    const { prices } = this.#options
    const { bid, ask } = prices.quote(order.market, this.#rulesOf(order.market).priceTick)
    const remaining = order.size.minus(order.filledSize)
    const size = prices.available(order.market, remaining)
    const isTaker = order.price === null || this.#isReached(order, order.price)
    if (order.force === 'post-only') {
      if (isTaker) this.#cancel(order, 'post_only_would_trade')
      return
    }
    const isWhole = size.eq(remaining)
    if (isTaker && size.gt(ZERO) && (order.force !== 'fok' || isWhole)) {
      this.#fill(order, size, order.side === 'buy' ? ask : bid, false)
    }
    const mayRest = order.price !== null && order.force === 'gtc'
    if (order.status === 'open' && !mayRest) this.#cancel(order, 'not_filled_at_once')
  }

  #isReached(order: ContractOrder, price: Decimal): boolean {
    const tick = this.#rulesOf(order.market).priceTick
    const { bid, ask } = this.#options.prices.quote(order.market, tick)
    return order.side === 'buy' ? ask.lte(price) : bid.gte(price)
  }

  #fill(order: ContractOrder, asked: Decimal, price: Decimal, isMaker: boolean): void {
    const { prices, nextId, nowMs, onFirstTrade } = this.#options
    const rules = this.#rulesOf(order.market)
    const isFirst = order.filledSize.isZero()
    const wallet = futuresWallet(order.account, order.market.quote)
    const remaining = order.size.minus(order.filledSize)
    const given = asked.eq(remaining)
      ? order.frozen
      : order.frozen.times(asked).dividedBy(remaining).decimalPlaces(18)
    wallet.unfreeze(given)
    const feeRate = isMaker ? rules.makerFeeRate : rules.takerFeeRate
    const execution = { size: asked, price, feeRate }
    const { positionId, size, profit, fee } = this.#desk.book(order, execution)
    prices.consume(order.market, size)
    const filledSize = order.filledSize.plus(size)
    const frozen = order.frozen.minus(given)
    const status = filledSize.gte(order.size) ? 'filled' : size.lt(asked) ? 'cancelled' : 'open'
    if (status !== 'open') wallet.unfreeze(frozen)
    const hasTraded = size.gt(ZERO)
    const trade = { id: nextId(), order, price, size, fee, profit, isMaker, atMs: nowMs() }
    if (hasTraded) this.#trades.push(trade)
    this.orders.change(
      order,
      {
        filledSize,
        filledValue: order.filledValue.plus(size.times(price)),
        fee: order.fee.plus(fee),
        profit: order.profit.plus(profit),
        positionId: positionId || order.positionId,
        frozen: status === 'open' ? frozen : ZERO,
        cancelReason: status === 'cancelled' ? 'no_margin_or_position' : '',
        status,
      },
      hasTraded ? { trade } : {},
    )
    if (hasTraded && isFirst) onFirstTrade(order)
  }

  #cancel(order: ContractOrder, cancelReason: string): void {
    futuresWallet(order.account, order.market.quote).unfreeze(order.frozen)
    this.orders.change(order, { frozen: ZERO, cancelReason, status: 'cancelled' })
  }

  // With a market order, which the history shows; a real exchange does it in steps and at the
  // bankruptcy price.
  #liquidate(account: Account): void {
    const { prices, nextId } = this.#options
    for (const position of positionsOf(account)) {
      const { market, slot, side, size, leverage, marginMode } = position
      const { last } = prices.of(market)
      const { maintenanceRate } = this.#rulesOf(market)
      if (!isBankrupt(account, position, last, maintenanceRate)) continue
      if (prices.available(market, size).isZero()) continue
      this.cancelClosing(account, market, slot, 'liquidation')
      this.#enter(
        {
          account,
          market,
          slot,
          size,
          leverage,
          marginMode,
          side: side === 'long' ? 'sell' : 'buy',
          isReduceOnly: true,
          force: 'ioc',
          price: null,
          clientId: `liquidation-${nextId()}`,
          labels: { category: 'liquidation' },
          exits: noExits,
        },
        ZERO,
      )
    }
  }

  #closers(account: Account, market: Market, slot: Slot): readonly ContractOrder[] {
    return this.orders
      .open(account.name)
      .filter((order) => order.market === market && order.slot === slot && order.isReduceOnly)
  }

  #rulesOf(market: Market): ContractRules {
    const rules = market.contract[this.#options.exchange]
    if (rules === undefined || !rules.isOpen || !rules.isOpenToApi) {
      throw new OrderRejectedError('symbol-closed', market.name)
    }
    return rules
  }
}
