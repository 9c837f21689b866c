import type { Account, MarginMode, PositionMode, Slot } from './account.ts'
import type { Decimal } from './exact-numbers.ts'
import type { Market } from './market.ts'
import type { ShelvedOrder } from './order-shelf.ts'
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
