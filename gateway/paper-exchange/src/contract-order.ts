import {
  type Account,
  contractSettings,
  futuresWallet,
  type MarginMode,
  type PositionMode,
  positionsOf,
  type Slot,
} from './account.ts'
import type { ContractBook } from './contract-book.ts'
import type { Decimal } from './exact-numbers.ts'
import type { ContractRules, Market } from './market.ts'
import { OrderRejectedError, type ShelvedOrder } from './order-shelf.ts'
import type { Force } from './spot-book.ts'
import type { Exits } from './trigger-book.ts'

export interface ContractDraft {
  readonly account: Account
  readonly market: Market
  /** What the order does on the market, whatever word the exchange has for it. */
  readonly side: 'buy' | 'sell'
  readonly slot: Slot
  /** The order may only make the position smaller. */
  readonly isReduceOnly: boolean
  readonly force: Force
  /** Null: a market order. */
  readonly price: Decimal | null
  /** Base coin. */
  readonly size: Decimal
  readonly leverage: number
  readonly marginMode: MarginMode
  readonly clientId: string
  /** What only the exchange's own responses show. */
  readonly labels: Readonly<Record<string, string>>
  /** Set up for the position once the order has opened it. */
  readonly exits: Exits
}

export interface ContractOrder
  extends ShelvedOrder,
    Omit<ContractDraft, 'account' | 'clientId' | 'exits' | 'price' | 'size'> {
  readonly account: Account
  readonly price: Decimal | null
  readonly size: Decimal
  readonly positionMode: PositionMode
  readonly exits: Exits
  readonly filledSize: Decimal
  readonly filledValue: Decimal
  readonly fee: Decimal
  readonly profit: Decimal
  /** Margin and fee that the order still freezes. */
  readonly frozen: Decimal
  /** The position that the last trade touched; empty before any. */
  readonly positionId: string
  readonly cancelReason: string
}

export interface ContractTrade {
  readonly id: string
  readonly order: ContractOrder
  readonly price: Decimal
  readonly size: Decimal
  readonly fee: Decimal
  readonly profit: Decimal
  readonly isMaker: boolean
  readonly atMs: number
}

/** Whether the order works against what is held in its slot. */
export function isAgainst(
  order: Pick<ContractDraft, 'side'>,
  held: { readonly side: 'long' | 'short' } | undefined,
): boolean {
  return held !== undefined && (order.side === 'buy') === (held.side === 'short')
}

const MARGIN_MODES: readonly MarginMode[] = ['cross', 'isolated']

interface LeverageChange {
  readonly market: Market
  readonly rules: ContractRules
  /** Which direction; both when null. */
  readonly side: 'long' | 'short' | null
  /** Of which margin mode; of both when null. */
  readonly marginMode: MarginMode | null
  readonly leverage: number
}

/**
 * Changes the leverage, also of what is held: its margin becomes more or less.
 * @throws OrderRejectedError
 */
export function setLeverage(
  account: Account,
  { market, rules, side, marginMode, leverage }: LeverageChange,
): void {
  if (leverage < 1 || leverage > rules.maxLeverage) {
    throw new OrderRejectedError('leverage', `${rules.maxLeverage}`)
  }
  const wallet = futuresWallet(account, market.quote)
  for (const held of positionsOf(account, market)) {
    if (side !== null && held.side !== side) continue
    if (marginMode !== null && held.marginMode !== marginMode) continue
    const margin = held.entryValue.dividedBy(leverage).decimalPlaces(18)
    const more = margin.minus(held.margin)
    if (more.isPositive() && !wallet.holdMargin(more))
      throw new OrderRejectedError('margin', market.quote)
    if (more.isNegative()) wallet.releaseMargin(more.negated())
    held.margin = margin
    held.leverage = leverage
  }
  const settings = contractSettings(account, market)
  for (const mode of marginMode === null ? MARGIN_MODES : [marginMode]) {
    if (side !== 'short') settings.leverage[mode].long = leverage
    if (side !== 'long') settings.leverage[mode].short = leverage
  }
}

/** @throws OrderRejectedError when a position or an order is in the way */
export function setMarginMode(
  book: ContractBook,
  account: Account,
  { market, marginMode }: { market: Market; marginMode: MarginMode },
): void {
  const isBusy =
    positionsOf(account, market).length > 0 ||
    book.orders.open(account.name).some((order) => order.market === market)
  const settings = contractSettings(account, market)
  if (isBusy && settings.marginMode !== marginMode) {
    throw new OrderRejectedError('margin-mode', market.name)
  }
  settings.marginMode = marginMode
}

/** @throws OrderRejectedError when a position or an order is in the way */
export function setPositionMode(book: ContractBook, account: Account, mode: PositionMode): void {
  const isBusy = positionsOf(account).length > 0 || book.orders.open(account.name).length > 0
  if (isBusy && account.futures.positionMode !== mode) throw new OrderRejectedError('position-mode')
  account.futures.positionMode = mode
}
