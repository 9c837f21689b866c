import { readOf, type UpstreamCall } from '../../src/exchanges/exchange.ts'
import type { AccountEvent, FeedProtocol, RepairRead, Whole } from '../../src/exchanges/feed.ts'
import type { OrderKey } from '../../src/exchanges/order-lookup/order-key.ts'
import type { Verdict } from '../../src/exchanges/protocol/verdict.ts'

/** How one exchange differs from another. */
export interface Traits {
  readonly hasVersions: boolean
  /** Without times or versions, what is pushed has to come in order. */
  readonly hasTimes: boolean
  /** What is read of positions and balances has times. */
  readonly hasTimesInRest: boolean
  /** A push of an order has its last fill too. */
  readonly embedsFills: boolean
  /** A push of positions has all of them, and not the one that was closed. */
  readonly pushesWholeLists: boolean
  /** REST has other ids of fills than pushes. */
  readonly hasOtherIds: boolean
  /** REST does not list some fills. */
  readonly hidesFills: boolean
  /** It forgets orders that were cancelled with nothing filled. */
  readonly forgets: boolean
  /** REST shows orders a little after they were placed. */
  readonly showsLate: boolean
}

export interface ModelOrder {
  readonly id: string
  readonly side: 'buy' | 'sell'
  readonly quantity: number
  /** The gateway placed it, for one of its clients. */
  readonly isOwn: boolean
  readonly placedMs: number
  price: number
  filled: number
  status: 'open' | 'partiallyFilled' | 'filled' | 'canceled'
  version: number
  timeMs: number
}

export interface ModelFill {
  readonly id: string
  readonly order: ModelOrder
  readonly quantity: number
  readonly timeMs: number
  readonly isHidden: boolean
}

export interface Frame {
  readonly events: readonly AccountEvent[]
  readonly whole?: Whole
}

const SYMBOL = 'AB'
export const PAGE = 4
const MARKET = 'futures'
const FIRST_MS = 1_800_000_000_000
/** As time goes by here: some acts. */
const LATE_MS = 30
const ENDED = new Set(['filled', 'canceled'])
const STATUSES = {
  open: 'NEW',
  partiallyFilled: 'PARTIALLY_FILLED',
  filled: 'FILLED',
  canceled: 'CANCELED',
}

/** An account at an exchange: what happens in it, what is pushed, and what is read. */
export class ModelExchange {
  nowMs = FIRST_MS
  readonly orders: ModelOrder[] = []
  readonly fills: ModelFill[] = []
  /** Every state that an order, a position or the balance ever had. */
  readonly states = new Set<string>()
  readonly #traits: Traits
  readonly #push: (frame: Frame) => void
  #positionMs = FIRST_MS
  #positionVersion = 0

  constructor(traits: Traits, push: (frame: Frame) => void) {
    this.#traits = traits
    this.#push = push
  }

  open(): ModelOrder[] {
    return this.orders.filter(({ status }) => !ENDED.has(status))
  }

  place(order: Pick<ModelOrder, 'side' | 'quantity' | 'isOwn' | 'price'>): ModelOrder {
    this.nowMs += 1
    const id = `${this.orders.length + 1}`
    const placed: ModelOrder = {
      ...order,
      id,
      ...{ filled: 0, status: 'open', version: 1, placedMs: this.nowMs },
      timeMs: this.nowMs,
    }
    this.orders.push(placed)
    this.#pushOrder(placed)
    this.#pushBalance()
    return placed
  }

  fill(order: ModelOrder, most: number): void {
    this.nowMs += 1
    const quantity = Math.min(most, order.quantity - order.filled)
    const before = this.position()
    order.filled += quantity
    order.status = order.filled === order.quantity ? 'filled' : 'partiallyFilled'
    const id = `f${this.fills.length + 1}`
    const isHidden = this.#traits.hidesFills && this.fills.length % 2 === 0
    const fill = { id, order, quantity, timeMs: this.nowMs, isHidden }
    this.fills.push(fill)
    this.#changed(order)
    this.#pushOrder(order, this.#traits.embedsFills ? [fillEvent(fill, id)] : [])
    this.#push({ events: [fillEvent(fill, id)] })
    this.#pushPositions(before)
    this.#pushBalance()
  }

  cancel(order: ModelOrder): void {
    this.nowMs += 1
    order.status = 'canceled'
    this.#changed(order)
    this.#pushOrder(order)
    this.#pushBalance()
  }

  amend(order: ModelOrder, price: number): void {
    this.nowMs += 1
    order.price = price
    this.#changed(order)
    this.#pushOrder(order)
    this.#pushBalance()
  }

  /** Above 0: long. */
  position(): number {
    return this.fills.reduce(
      (all, { order, quantity }) => all + (order.side === 'buy' ? quantity : -quantity),
      0,
    )
  }

  balance(): { available: string; locked: string } {
    const locked = this.open().reduce(
      (all, { quantity, filled, price }) => all + (quantity - filled) * price,
      0,
    )
    const spent = this.fills.reduce((all, { quantity }) => all + quantity, 0)
    return { available: `${1_000_000 - locked - spent}`, locked: `${locked}` }
  }

  /** What it says to a read now. */
  respond({ path, query }: UpstreamCall): Verdict {
    const asked = new URLSearchParams(query)
    const at = Number(asked.get('at') ?? 0)
    const { forgets, showsLate } = this.#traits
    const seen = this.orders.filter(
      ({ status, filled, placedMs }) =>
        (!forgets || status !== 'canceled' || filled > 0) &&
        (!showsLate || placedMs + LATE_MS <= this.nowMs),
    )
    const open = seen.filter(({ status }) => !ENDED.has(status))
    const isById = asked.get('orderId')
    const rows = {
      '/model/orders': () =>
        open.slice(at, at + PAGE).map((order) => this.#orderEvent(order, '.00')),
      '/model/fills': () =>
        this.fills
          .filter(
            ({ timeMs, isHidden }) =>
              !isHidden && timeMs >= Number(asked.get('from')) && timeMs <= Number(asked.get('to')),
          )
          .toReversed()
          .slice(at, at + PAGE)
          .map((fill) =>
            fillEvent(fill, this.#traits.hasOtherIds ? `r${fill.id}` : fill.id, '.00'),
          ),
      '/model/positions': () => this.#positions(this.#traits.hasTimesInRest),
      '/model/balances': () => [this.#balanceEvent(this.#traits.hasTimesInRest)],
      '/api/v3/openOrders': () => open.map((order) => this.#row(order)),
      '/api/v3/allOrders': () => seen.map((order) => this.#row(order)),
    }[path]
    if (rows !== undefined) return { kind: 'ok', data: rows() }
    const found = seen.find(({ id }) => id === isById)
    if (found !== undefined) return { kind: 'ok', data: this.#row(found) }
    const rejection = {
      class: 'order-not-found',
      exchangeCode: '-2013',
      exchangeMessage: '',
    } as const
    return { kind: 'rejected', rejection }
  }

  #changed(order: ModelOrder): void {
    order.version += 1
    order.timeMs = this.nowMs
  }

  #row(order: ModelOrder): Record<string, unknown> {
    return {
      ...{
        symbol: SYMBOL,
        orderId: order.id,
        clientOrderId: `c${order.id}`,
        status: STATUSES[order.status],
      },
      ...{ executedQty: `${order.filled}`, time: FIRST_MS, event: this.#orderEvent(order, '.0') },
    }
  }

  #pushOrder(order: ModelOrder, fills: readonly AccountEvent[] = []): void {
    this.#push({ events: [this.#orderEvent(order), ...fills] })
  }

  #pushBalance(): void {
    this.#push({ events: [this.#balanceEvent(true)] })
  }

  #pushPositions(before: number): void {
    this.#positionMs = this.nowMs
    this.#positionVersion += 1
    const events = this.#positions(true)
    const whole: Whole = {
      of: 'position',
      market: MARKET,
      ...(this.#traits.hasTimes ? { timeMs: this.nowMs } : {}),
    }
    // None does both.
    if (this.#traits.pushesWholeLists && !this.#traits.hasVersions) {
      this.#push({ events, whole })
      return
    }
    const isGone = before !== 0 && Math.sign(before) !== Math.sign(this.position())
    const gone = isGone ? [this.#positionEvent(Math.sign(before), 0, true)] : []
    this.#push({ events: [...gone, ...events] })
  }

  #positions(hasTime: boolean): AccountEvent[] {
    const held = this.position()
    return held === 0 ? [] : [this.#positionEvent(Math.sign(held), Math.abs(held), hasTime)]
  }

  #orderEvent(order: ModelOrder, decimals = ''): AccountEvent {
    const { id, side, quantity, price, filled, status, timeMs, version } = order
    this.states.add(stateOf(id, status, filled, price))
    return {
      ...{ type: 'order', market: MARKET, timeMs: this.#timeOf(timeMs) },
      ...(this.#traits.hasVersions ? { version: `${version}` } : {}),
      data: {
        ...{
          orderId: id,
          clientOrderId: `c${id}`,
          symbol: SYMBOL,
          side,
          positionSide: null,
          orderType: 'limit',
        },
        ...{
          price: `${price}${decimals}`,
          quantity: `${quantity}${decimals}`,
          quantityUnit: 'contracts',
        },
        ...{
          filledQuantity: `${filled}${decimals}`,
          averagePrice: filled > 0 ? '7' : null,
          status,
          reason: null,
        },
      },
      key: keyOf(id),
    }
  }

  /** Where there are versions, they alone say which of two states is newer. */
  #timeOf(timeMs: number): number | null {
    const { hasTimes, hasVersions } = this.#traits
    return hasTimes ? timeMs - (hasVersions ? timeMs % 500 : 0) : null
  }

  #positionEvent(sign: number, held: number, hasTime: boolean): AccountEvent {
    this.states.add(`position ${sign > 0 ? 'long' : 'short'} ${held}`)
    return {
      ...{
        type: 'position',
        market: MARKET,
        timeMs: hasTime ? this.#timeOf(this.#positionMs) : null,
      },
      ...(this.#traits.hasVersions ? { version: `${this.#positionVersion}` } : {}),
      data: {
        ...{
          symbol: SYMBOL,
          side: sign > 0 ? 'long' : 'short',
          quantity: `${held}`,
          contracts: null,
        },
        ...{
          entryPrice: '7',
          leverage: null,
          marginMode: null,
          unrealizedPnl: null,
          liquidationPrice: null,
        },
      },
    }
  }

  #balanceEvent(hasTime: boolean): AccountEvent {
    const { available, locked } = this.balance()
    this.states.add(`balance ${available} ${locked}`)
    const data = { asset: 'USDT', available, locked, total: null }
    return {
      type: 'balance',
      market: MARKET,
      timeMs: hasTime && this.#traits.hasTimes ? this.nowMs : null,
      data,
    }
  }
}

export function stateOf(id: string, status: string, filled: number, price: number): string {
  return `order ${id} ${status} ${filled} ${price}`
}

/** Looked up as an order of MEXC spot is. */
export function keyOf(orderId: string): OrderKey {
  const api = { exchange: 'mx', family: 'mexc-spot', market: 'spot', action: 'place' } as const
  return { ...api, symbol: SYMBOL, clientOrderId: `c${orderId}` }
}

function fillEvent(
  { order, quantity, timeMs }: ModelFill,
  fillId: string,
  decimals = '',
): AccountEvent {
  return {
    ...{ type: 'fill', market: MARKET, timeMs },
    data: {
      ...{
        fillId,
        orderId: order.id,
        clientOrderId: null,
        symbol: SYMBOL,
        side: order.side,
        positionSide: null,
      },
      ...{
        price: '7',
        quantity: `${quantity}${decimals}`,
        quantityUnit: 'contracts',
        fee: null,
        feeCurrency: null,
      },
      ...{ liquidity: null, realizedPnl: null, inferred: false },
    },
  }
}

const events = (data: unknown) => data as readonly AccountEvent[]

function pagedRead(path: string, query: string, at = 0): RepairRead {
  return {
    call: readOf('mexc-spot', path, `${query}&at=${at}`),
    read: events,
    next: (data) => (events(data).length < PAGE ? undefined : pagedRead(path, query, at + PAGE)),
  }
}

/** How the model speaks; its sockets are the test's. */
export const modelFeed: FeedProtocol = {
  ...{
    name: 'mexc-spot',
    family: 'mexc-spot',
    markets: [MARKET],
    pathOf: () => '/',
    subscribe: [],
    channels: [],
  },
  ...{ ping: '', pingEveryMs: 1, silentAfterMs: 1, lifeMs: 1, read: () => ({ kind: 'pong' }) },
  readOrder: (row) => (row as { event: AccountEvent }).event,
  repairReads: ({ fillsSinceMs, nowMs }) => [
    { ...pagedRead('/model/orders', ''), whole: { of: 'order', market: MARKET } },
    pagedRead('/model/fills', `from=${fillsSinceMs}&to=${nowMs}`),
    {
      call: readOf('mexc-spot', '/model/positions'),
      read: events,
      whole: { of: 'position', market: MARKET },
    },
    {
      call: readOf('mexc-spot', '/model/balances'),
      read: events,
      whole: { of: 'balance', market: MARKET },
    },
  ],
}
