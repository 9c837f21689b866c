import type { ContractOrder } from './contract-order.ts'
import type { Engine } from './engine.ts'
import type { ExchangeCode } from './market.ts'
import type { OrderStatus } from './order-shelf.ts'
import type { SpotOrder } from './spot-book.ts'

/** An order as the control interface shows it, alike for both exchanges and kinds. */
export interface PaperOrder {
  readonly exchange: ExchangeCode
  /** Name of the account. */
  readonly account: string
  readonly market: 'spot' | 'futures'
  /** Base and quote without a separator. */
  readonly symbol: string
  /** Digits only; MEXC spot shows them behind `C02__`. */
  readonly orderId: string
  readonly clientOrderId: string
  readonly side: 'buy' | 'sell'
  /** Decimal string; null for a market order. */
  readonly price: string | null
  /** Base coin, decimal string. */
  readonly size: string
  readonly filledSize: string
  /** Quote coin, decimal string. */
  readonly filledValue: string
  readonly status: OrderStatus
  /** Wall clock of the exchange, ms. */
  readonly createdAtMs: number
}

/** The orders of one exchange or of both, oldest first. */
export function paperOrders(engine: Engine, exchange?: ExchangeCode): readonly PaperOrder[] {
  return Object.values(engine.venues)
    .filter((venue) => exchange === undefined || venue.exchange === exchange)
    .flatMap((venue) => [
      ...venue.spot.orders.all().map((order) => toPaperOrder(order, venue.exchange, 'spot')),
      ...venue.contracts.orders
        .all()
        .map((order) => toPaperOrder(order, venue.exchange, 'futures')),
    ])
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs)
}

function toPaperOrder(
  order: SpotOrder | ContractOrder,
  exchange: ExchangeCode,
  market: 'spot' | 'futures',
): PaperOrder {
  return {
    exchange,
    account: order.account.name,
    market,
    symbol: order.market.name,
    orderId: order.id,
    clientOrderId: order.clientId,
    side: order.side,
    price: order.price?.toFixed() ?? null,
    size: order.size.toFixed(),
    filledSize: order.filledSize.toFixed(),
    filledValue: order.filledValue.toFixed(),
    status: order.status,
    createdAtMs: order.createdAtMs,
  }
}
