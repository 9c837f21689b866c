import {
  type Account,
  futuresWallet,
  type Position,
  positionAt,
  positionKey,
  positionsOf,
} from './account.ts'
import { type ContractOrder, isAgainst } from './contract-order.ts'
import { type Decimal, minOf, ZERO } from './exact-numbers.ts'
import type { Prices } from './prices.ts'

/** Average price of what is held, at most 12 decimals. */
export const entryPriceOf = ({ entryValue, size }: Position): Decimal =>
  size.isZero() ? ZERO : entryValue.dividedBy(size).decimalPlaces(12)

/** Profit, or loss below zero, if all were closed at `price`. */
export function profitAt(position: Position, price: Decimal): Decimal {
  const worth = position.size.times(price)
  return position.side === 'long'
    ? worth.minus(position.entryValue)
    : position.entryValue.minus(worth)
}

/** What the positions with this margin coin would bring now, or lose below zero. */
export function openProfitOf(account: Account, coin: string, prices: Prices): Decimal {
  return positionsOf(account)
    .filter(({ market }) => market.quote === coin)
    .reduce((sum, held) => sum.plus(profitAt(held, prices.of(held.market).last)), ZERO)
}

/** Takes `size` out at `price`; returns the profit and the released margin. */
function reduce(
  position: Position,
  size: Decimal,
  price: Decimal,
): { profit: Decimal; margin: Decimal } {
  const entry = portion(position.entryValue, size, position.size)
  const margin = portion(position.margin, size, position.size)
  const value = size.times(price)
  const profit = position.side === 'long' ? value.minus(entry) : entry.minus(value)
  position.size = position.size.minus(size)
  position.entryValue = position.entryValue.minus(entry)
  position.margin = position.margin.minus(margin)
  position.realised = position.realised.plus(profit)
  position.closedSize = position.closedSize.plus(size)
  position.closedValue = position.closedValue.plus(value)
  return { profit, margin }
}

// Cut to 18 decimals; the same cut amount leaves the position and reaches the wallet, so nothing is
// lost.
function portion(whole: Decimal, part: Decimal, of: Decimal): Decimal {
  return part.eq(of) ? whole : whole.times(part).dividedBy(of).decimalPlaces(18)
}

/**
 * Where the margin of the position alone is used up; cross margin lasts longer. Never below zero.
 */
export function liquidationPriceOf(position: Position, priceScale: number): Decimal {
  const perUnit = position.margin.dividedBy(position.size)
  const entry = entryPriceOf(position)
  const price = position.side === 'long' ? entry.minus(perUnit) : entry.plus(perUnit)
  return price.lt(ZERO) ? ZERO : price.decimalPlaces(priceScale)
}

interface Execution {
  readonly size: Decimal
  readonly price: Decimal
  readonly feeRate: Decimal
}

interface Booked {
  /** The position that was closed or opened; empty when none was. */
  readonly positionId: string
  /** May be less than asked for: nothing is opened without margin, nor by a reduce-only order. */
  readonly size: Decimal
  readonly profit: Decimal
  readonly fee: Decimal
}

interface PositionDeskOptions {
  readonly nextId: () => string
  readonly nowMs: () => number
}

/** Books trades into positions and margin. */
export class PositionDesk {
  readonly #options: PositionDeskOptions

  constructor(options: PositionDeskOptions) {
    this.#options = options
  }

  /** First closes what the order works against, then opens with the rest. */
  book(order: ContractOrder, execution: Execution): Booked {
    const held = positionAt(order.account, order.market, order.slot)
    const isClosing = isAgainst(order, held)
    const closeSize = isClosing && held !== undefined ? minOf(execution.size, held.size) : ZERO
    const isClosed = held !== undefined && closeSize.gt(ZERO)
    const profit = isClosed
      ? this.close(order.account, held, { ...execution, size: closeSize })
      : ZERO
    const openSize = order.isReduceOnly ? ZERO : execution.size.minus(closeSize)
    const opened = openSize.gt(ZERO)
      ? this.#open(order, { ...execution, size: openSize })
      : undefined
    const size = closeSize.plus(opened === undefined ? ZERO : openSize)
    const wallet = futuresWallet(order.account, order.market.quote)
    const fee = wallet.pay(size.times(execution.price).times(execution.feeRate))
    const now = positionAt(order.account, order.market, order.slot)
    if (now !== undefined) now.fee = now.fee.plus(fee)
    return { positionId: opened?.id ?? (isClosed ? held.id : ''), size, profit, fee }
  }

  /** Makes a position smaller and books its profit; a position of size zero is gone. */
  close(account: Account, held: Position, { size, price }: Omit<Execution, 'feeRate'>): Decimal {
    const wallet = futuresWallet(account, held.market.quote)
    const { profit, margin } = reduce(held, size, price)
    wallet.releaseMargin(margin)
    wallet.settle(profit, held.marginMode === 'isolated' ? margin : wallet.available)
    held.updatedAtMs = this.#options.nowMs()
    if (held.size.isZero()) account.futures.positions.delete(positionKey(held.market, held.slot))
    return profit
  }

  /** Undefined when there is no margin for it. */
  #open(order: ContractOrder, { size, price }: Execution): Position | undefined {
    const wallet = futuresWallet(order.account, order.market.quote)
    const value = size.times(price)
    const margin = value.dividedBy(order.leverage).decimalPlaces(18)
    if (!wallet.holdMargin(margin)) return undefined
    const position = positionAt(order.account, order.market, order.slot) ?? this.#newPosition(order)
    position.size = position.size.plus(size)
    position.entryValue = position.entryValue.plus(value)
    position.margin = position.margin.plus(margin)
    position.updatedAtMs = this.#options.nowMs()
    return position
  }

  #newPosition(order: ContractOrder): Position {
    const { nextId, nowMs } = this.#options
    const position: Position = {
      id: nextId(),
      market: order.market,
      slot: order.slot,
      side: order.side === 'buy' ? 'long' : 'short',
      createdAtMs: nowMs(),
      updatedAtMs: nowMs(),
      marginMode: order.marginMode,
      leverage: order.leverage,
      size: ZERO,
      entryValue: ZERO,
      margin: ZERO,
      realised: ZERO,
      fee: ZERO,
      closedSize: ZERO,
      closedValue: ZERO,
    }
    order.account.futures.positions.set(positionKey(order.market, order.slot), position)
    return position
  }
}

/** Whether no more than the maintenance margin backs the position at this price. */
export function isBankrupt(
  account: Account,
  position: Position,
  price: Decimal,
  maintenanceRate: Decimal,
): boolean {
  const wallet = futuresWallet(account, position.market.quote)
  const backing =
    position.marginMode === 'isolated' ? position.margin : position.margin.plus(wallet.available)
  const needed = position.size.times(price).times(maintenanceRate)
  return backing.plus(profitAt(position, price)).lt(needed)
}
