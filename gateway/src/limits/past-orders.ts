import { type ExchangeCode, FINAL_ORDER_STATES } from 'schema'
import type { OrderEffect } from '../exchanges/call-effect.ts'
import { effectsOfKey } from '../exchanges/call-effects.ts'
import { type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { partOf } from '../exchanges/position-part.ts'
import type { ClientStore } from '../store/client-store.ts'
import { limitsOf } from '../store/client-store.ts'
import type { JournalStore, UnvaluedOrder } from '../store/journal-store.ts'
import type { Events } from '../upstream/events.ts'
import { DAY_MS, minuteOf } from './client-book.ts'
import { type EffectValues, needsPrice, toUsdt, whyUnvalued } from './order-value.ts'

/** An order may be entered, and end, this long after the time that it has in the journal. */
const LATE_MS = 600_000
/** How often the exchanges are asked for what is missing, and old orders are read again. */
const AGAIN_MS = 60_000
/** Symbols that are asked for in one round: each costs up to three slots. */
const ASKED_MAX = 30
/**
 * What an order counts as whose row cannot be read: a billion USDT. It may have been worth
 * anything, and a day's limit must not let more pass than it says. Nine of them sum up exactly.
 */
const UNREADABLE_MICROS = 1e15

export interface PastOrdersDeps {
  readonly clients: Pick<ClientStore, 'find'>
  readonly journal: Pick<JournalStore, 'unvalued' | 'setValues'>
  readonly values: Pick<EffectValues, 'ofPast' | 'learn'>
  /** Adds a value to the sum of a client's day. */
  readonly add: (clientRef: number, minute: number, valueMicros: number) => void
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
}

/** An order whose rules or price are not known. */
interface Unknown {
  readonly exchange: ExchangeCode
  readonly effect: OrderEffect
}

/** What the last count of a client's orders has left. */
interface Counted {
  readonly atMs: number
  /** All earlier orders have a value. */
  readonly untilMs: number
  readonly unknown: readonly Unknown[]
}

/**
 * Values the orders that nobody had to value when they were sent, because their client had no limit
 * on their value. The journal has what they were to trade. They are valued when somebody looks at
 * the sum or sets a limit, so that no order waits for it and it costs no order anything.
 */
export class PastOrders {
  readonly #deps: PastOrdersDeps
  readonly #counted = new Map<number, Counted>()
  /** Of each client: the last count, and the one that has not begun. */
  readonly #last = new Map<number, Promise<void>>()
  readonly #next = new Map<number, Promise<void>>()
  readonly #learntAtMs = new Map<number, number>()
  /** The unreadable rows that were reported. */
  readonly #reported = new Set<string>()

  constructor(deps: PastOrdersDeps) {
    this.#deps = deps
  }

  /**
   * Adds the orders of the last 24 hours that can be valued by what is known. Asks no exchange, and
   * never rejects: what fails is tried again by the next count.
   */
  count(clientRef: number): Promise<void> {
    const waiting = this.#next.get(clientRef)
    if (waiting !== undefined) return waiting
    const { events } = this.#deps
    const counted = (this.#last.get(clientRef) ?? Promise.resolve())
      .then(() => {
        this.#next.delete(clientRef)
        return this.#count(clientRef)
      })
      .catch((error: unknown) => events.emit('ordersNotValued', { clientRef, error }))
    this.#next.set(clientRef, counted)
    this.#last.set(clientRef, counted)
    return counted
  }

  /** The same of all of them, also of those that the last count could not value. */
  countAgain(clientRef: number): Promise<void> {
    this.#counted.delete(clientRef)
    return this.count(clientRef)
  }

  /**
   * Asks the exchanges for what the last count missed, behind all orders and at most once a minute,
   * and counts again.
   */
  learnLater(clientRef: number): void {
    const { events, nowMs, values } = this.#deps
    const { unknown = [] } = this.#counted.get(clientRef) ?? {}
    if (unknown.length === 0) return
    if (nowMs() - (this.#learntAtMs.get(clientRef) ?? 0) < AGAIN_MS) return
    this.#learntAtMs.set(clientRef, nowMs())
    const report = (error: unknown) => events.emit('ordersNotValued', { clientRef, error })
    const learn = async () => {
      for (const { exchange, effect } of unknown) await values.learn(exchange, effect).catch(report)
      await this.countAgain(clientRef)
    }
    void learn()
  }

  async #count(clientRef: number): Promise<void> {
    const { clients, journal, add, nowMs } = this.#deps
    const atMs = nowMs()
    const last = this.#counted.get(clientRef)
    if (last !== undefined && last.untilMs < last.atMs - LATE_MS && atMs - last.atMs < AGAIN_MS)
      return
    const client = await clients.find(clientRef)
    const areExitsFree = client !== undefined && limitsOf(client).exits !== 'limited'
    let untilMs = atMs - LATE_MS
    const unknown = new Map<string, Unknown>()
    for await (const orders of journal.unvalued(
      clientRef,
      Math.max(last?.untilMs ?? 0, atMs - DAY_MS),
    )) {
      const valued: { id: string; minute: number; valueMicros: number }[] = []
      for (const order of orders) {
        const { id, createdAtMs } = order
        const valueMicros = await this.#valueOf(order, clientRef, areExitsFree, unknown)
        if (valueMicros === undefined) untilMs = Math.min(untilMs, createdAtMs)
        else valued.push({ id, minute: minuteOf(createdAtMs), valueMicros })
      }
      await journal.setValues(valued.map(({ id, valueMicros }) => ({ id, valueMicros })))
      for (const { minute, valueMicros } of valued) add(clientRef, minute, valueMicros)
    }
    this.#counted.set(clientRef, { atMs, untilMs, unknown: [...unknown.values()] })
  }

  /**
   * Millionths of a USDT; 0 for what has no value, such as a cancel or an exit. Undefined while it
   * has no end, or a price or rule is not known: then it is among the unknown ones.
   */
  async #valueOf(
    order: UnvaluedOrder,
    clientRef: number,
    areExitsFree: boolean,
    unknown: Map<string, Unknown>,
  ): Promise<number | undefined> {
    const { exchange, state } = order
    if (!FINAL_ORDER_STATES.some((final) => final === state)) return undefined
    const effects = this.#effectsOf(order, clientRef, areExitsFree)
    if (effects === undefined) return UNREADABLE_MICROS
    let sum: number | undefined = 0
    for (const effect of effects) {
      const valueMicros = await this.#deps.values.ofPast(exchange, effect)
      if (valueMicros !== undefined && sum !== undefined) sum += valueMicros
      if (valueMicros !== undefined) continue
      sum = undefined
      const { market, symbol } = effect
      const name = `${exchange} ${market} ${symbol} ${needsPrice(effect)}`
      if (unknown.size < ASKED_MAX) unknown.set(name, { exchange, effect })
    }
    return sum
  }

  /** What counts of the order; undefined when its row cannot be read, which is reported once. */
  #effectsOf(
    { id, orderKey }: UnvaluedOrder,
    clientRef: number,
    areExitsFree: boolean,
  ): readonly OrderEffect[] | undefined {
    if (orderKey === null) return []
    try {
      const key: OrderKey = JSON.parse(orderKey)
      if (key.isUnfindable === true) return []
      const orders = ordersOf(key).filter((each) => !areExitsFree || partOf(each)?.does !== 'close')
      return orders.flatMap(effectsOfKey).filter(hasValue)
    } catch (cause) {
      if (this.#reported.has(id)) return undefined
      this.#reported.add(id)
      const message = `The journal's row of request ${id} cannot be read: its order counts as ${toUsdt(UNREADABLE_MICROS)} USDT`
      this.#deps.events.emit('ordersNotValued', { clientRef, error: new Error(message, { cause }) })
      return undefined
    }
  }
}

/** Whether the order says enough of itself, in a market whose orders have a value in USDT. */
function hasValue(effect: OrderEffect): boolean {
  const { symbol, productType = 'USDT-FUTURES' } = effect
  return symbol !== undefined && productType === 'USDT-FUTURES' && whyUnvalued(effect) === undefined
}
