import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import type { PaperOrder } from '../../paper-exchange/src/paper-order.ts'

/** What an account moved, USDT, as the paper exchange has it. */
export interface Moved {
  /** Orders on the book, each change anew, and what traded at once. */
  readonly booked: number
  readonly traded: number
  /** The largest order. */
  readonly largest: number
  readonly symbols: ReadonlySet<string>
}

interface Seen {
  readonly terms: string
  readonly traded: number
}

/** The books of an account: what each of its orders was worth when it came or was changed. */
export class Ledger {
  readonly #paper: PaperExchange
  readonly #accounts: readonly string[]
  readonly #usdtOf: (quote: string) => number
  readonly #seen = new Map<string, Seen>()
  #moved: Moved = { booked: 0, traded: 0, largest: 0, symbols: new Set() }

  /** @param usdtOf what one of a quote coin costs now */
  constructor(
    paper: PaperExchange,
    accounts: readonly string[],
    usdtOf: (quote: string) => number,
  ) {
    this.#paper = paper
    this.#accounts = accounts
    this.#usdtOf = usdtOf
  }

  /** Whatever is new is somebody else's. */
  ignoreNew(): void {
    const before = this.#moved
    this.read()
    this.#moved = before
  }

  /** Reads what is new. */
  read(): Moved {
    this.#paper.tick()
    for (const order of this.#orders()) this.#enter(order)
    return this.#moved
  }

  /** The account's orders that rest. */
  open(): readonly PaperOrder[] {
    return this.#orders().filter(({ status }) => status === 'open')
  }

  #orders(): readonly PaperOrder[] {
    return this.#paper.orders().filter(({ account }) => this.#accounts.includes(account))
  }

  #enter(order: PaperOrder): void {
    const id = `${order.exchange} ${order.market} ${order.orderId}`
    const rate = this.#usdtOf(order.symbol.endsWith('USDT') ? 'USDT' : 'BTC')
    const traded = Number(order.filledValue) * rate
    const terms = `${order.price} ${order.size}`
    const before = this.#seen.get(id)
    if (before?.terms === terms && before.traded === traded) return
    this.#seen.set(id, { terms, traded })
    const { booked, traded: all, largest, symbols } = this.#moved
    const isNew = before?.terms !== terms
    const placed = order.price === null ? 0 : Number(order.price) * Number(order.size) * rate
    const value = isNew ? Math.max(placed, traded) : Math.max(0, traded - placed)
    this.#moved = {
      booked: booked + value,
      traded: all + traded - (before?.traded ?? 0),
      largest: Math.max(largest, placed, traded),
      symbols: new Set([...symbols, order.symbol]),
    }
  }
}
