import { type Decimal, isMultipleOf, ZERO } from './exact-numbers.ts'
import { PRICE_BAND_RATIO } from './market.ts'

/** Why the engine rejects an order; each exchange has its own code and words for it. */
export type RejectionReason =
  | 'symbol-closed'
  | 'price-missing'
  | 'price-scale'
  | 'price-low'
  | 'price-high'
  | 'size-missing'
  | 'size-scale'
  | 'size-small'
  | 'size-large'
  | 'value-small'
  | 'value-large'
  | 'balance'
  | 'margin'
  | 'no-position'
  | 'position-small'
  | 'position-mode'
  | 'margin-mode'
  | 'leverage'
  | 'too-many-orders'
  | 'order-state'

/** The exchange rejects an order. The routes of a family turn this into that family's response. */
export class OrderRejectedError extends Error {
  readonly reason: RejectionReason
  /**
   * The bound that was missed or the value that was wrong, in the exchange's units; may be empty.
   */
  readonly detail: string

  constructor(reason: RejectionReason, detail = '') {
    super(`${reason} ${detail}`.trim())
    this.name = 'OrderRejectedError'
    this.reason = reason
    this.detail = detail
  }
}

/** What every order has, whatever it trades. */
export interface ShelvedOrder {
  /** Decimal digits, above 2^53. */
  readonly id: string
  readonly account: { readonly name: string }
  readonly clientId: string
  /** Wall clock of the exchange, ms. */
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly status: OrderStatus
}

export type OrderStatus = 'open' | 'filled' | 'cancelled'

/** Whether a limit order rests and has not traded: only such a one can be changed. */
export const isUntouched = ({
  status,
  price,
  filledSize,
}: {
  readonly status: OrderStatus
  readonly price: Decimal | null
  readonly filledSize: Decimal
}): boolean => status === 'open' && price !== null && filledSize.isZero()

/** What an order has traded at, at most 12 decimals; zero before its first trade. */
export const averagePriceOf = ({
  filledSize,
  filledValue,
}: {
  readonly filledSize: Decimal
  readonly filledValue: Decimal
}): Decimal => (filledSize.isZero() ? ZERO : filledValue.dividedBy(filledSize).decimalPlaces(12))

export interface OrderChange {
  readonly price: Decimal
  /** Of the whole order, in base coin. */
  readonly size: Decimal
}

/** @throws OrderRejectedError when an order does not rest, or has traded that much already */
export function checkChange(order: Parameters<typeof isUntouched>[0], { size }: OrderChange): void {
  if (order.status !== 'open' || order.price === null)
    throw new OrderRejectedError('order-state', order.status)
  if (size.lte(order.filledSize))
    throw new OrderRejectedError('size-small', order.filledSize.toFixed())
}

/** What a change of an order says beside its new state. */
export interface ChangeNote<Trade> {
  /** The trade that changed the order. */
  readonly trade?: Trade
  /** The order has just been taken in, and has not met the market yet. */
  readonly isNew?: boolean
  /** The caller's own id of a modification (Bitget v3). */
  readonly requestId?: string | undefined
}

/** Gets each change of an order, within the change. */
export type Announce<Order, Trade = never> = (order: Order, note: ChangeNote<Trade>) => void

interface OrderShelfOptions<Order, Trade> {
  readonly nowMs: () => number
  readonly announce: Announce<Order, Trade>
}

/**
 * The orders of one exchange and kind, found by id, by client id, by account. An order changes
 * through its shelf alone, which announces the change: its fields are readonly everywhere else.
 */
export class OrderShelf<Order extends ShelvedOrder, Trade = never> {
  readonly #options: OrderShelfOptions<Order, Trade>
  readonly #byId = new Map<string, Order>()
  readonly #byClientId = new Map<string, Order[]>()
  readonly #byAccount = new Map<string, Order[]>()
  readonly #open = new Set<Order>()

  constructor(options: OrderShelfOptions<Order, Trade>) {
    this.#options = options
  }

  add(order: Order): void {
    this.#byId.set(order.id, order)
    this.#open.add(order)
    append(this.#byAccount, order.account.name, order)
    append(this.#byClientId, clientKey(order.account.name, order.clientId), order)
    this.#options.announce(order, { isNew: true })
  }

  /** An order that is no longer open can never trade again. It is still found. */
  change(order: Order, change: Partial<Order>, note: ChangeNote<Trade> = {}): void {
    Object.assign(order, { updatedAtMs: this.#options.nowMs() }, change)
    if (order.status !== 'open') this.#open.delete(order)
    this.#options.announce(order, note)
  }

  /** Undefined too when the order is another account's. */
  byId(accountName: string, id: string): Order | undefined {
    const order = this.#byId.get(id)
    return order?.account.name === accountName ? order : undefined
  }

  /** Newest first: an id that was used again finds the newest order with it. */
  byClientId(accountName: string, clientId: string): readonly Order[] {
    return (this.#byClientId.get(clientKey(accountName, clientId)) ?? []).toReversed()
  }

  /** All orders of an account, newest first. */
  of(accountName: string): readonly Order[] {
    return (this.#byAccount.get(accountName) ?? []).toReversed()
  }

  /** Oldest first, the order in which they trade; of one account or of all. */
  open(accountName?: string): readonly Order[] {
    const all = [...this.#open]
    return accountName === undefined
      ? all
      : all.filter(({ account }) => account.name === accountName)
  }

  /** Of every account, oldest first. */
  all(): readonly Order[] {
    return [...this.#byId.values()]
  }

  clear(): void {
    this.#byId.clear()
    this.#byClientId.clear()
    this.#byAccount.clear()
    this.#open.clear()
  }
}

const clientKey = (accountName: string, clientId: string) => JSON.stringify([accountName, clientId])

function append<Order>(lists: Map<string, Order[]>, key: string, order: Order): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [order])
  else list.push(order)
}

interface DraftAmounts {
  readonly side: 'buy' | 'sell'
  /** Null: a market order. */
  readonly price: Decimal | null
  /** Base coin. */
  readonly size: Decimal
}

interface DraftRules {
  readonly tick: Decimal
  readonly step: Decimal
  readonly minSize: Decimal
  readonly maxSize: Decimal
  readonly minValue: Decimal
  readonly maxValue?: Decimal
  /** Last price: values a market order, and is the middle of the price band. */
  readonly lastPrice: Decimal
  /** An order that only reduces a position may be worth less than the minimum. */
  readonly isValueFree?: boolean
}

/**
 * Holds an order against the rules of its symbol.
 * @throws OrderRejectedError for the first rule that it breaks
 */
export function checkDraft({ side, price, size }: DraftAmounts, rules: DraftRules): void {
  if (!isMultipleOf(size, rules.step)) reject('size-scale', rules.step)
  if (size.lt(rules.minSize) || size.isZero()) reject('size-small', rules.minSize)
  if (size.gt(rules.maxSize)) reject('size-large', rules.maxSize)
  if (price !== null) checkPrice(side, price, rules)
  const value = size.times(price ?? rules.lastPrice)
  if (rules.isValueFree !== true && value.lt(rules.minValue)) reject('value-small', rules.minValue)
  if (rules.maxValue !== undefined && value.gt(rules.maxValue))
    reject('value-large', rules.maxValue)
}

function checkPrice(side: 'buy' | 'sell', price: Decimal, { tick, lastPrice }: DraftRules): void {
  if (price.isZero()) reject('price-missing', tick)
  if (!isMultipleOf(price, tick)) reject('price-scale', tick)
  const highest = lastPrice.times(PRICE_BAND_RATIO.plus(1))
  const lowest = lastPrice.times(PRICE_BAND_RATIO.negated().plus(1))
  if (side === 'buy' && price.gt(highest)) reject('price-high', highest)
  if (side === 'sell' && price.lt(lowest)) reject('price-low', lowest)
}

function reject(reason: OrderRejectedError['reason'], bound: Decimal): never {
  throw new OrderRejectedError(reason, bound.toFixed())
}
