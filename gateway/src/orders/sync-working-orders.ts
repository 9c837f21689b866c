import type { ExchangeCode } from 'schema'
import type { Lookup } from '../exchanges/order-lookup/order-key.ts'
import { answerTo } from '../exchanges/order-lookup/paged-lookup.ts'
import { lookupsOfWorking, namedByIds } from '../exchanges/order-lookups.ts'
import type { JobClass } from '../lane/job.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { Events } from '../upstream/events.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { VISIBLE_AFTER_MS } from './look-up.ts'
import { contextOf, isUnanswered, type Round, type RoundDeps, startRound } from './lookup-round.ts'
import { type AtExchange, isOfAccount, type WorkingOrder } from './working-order.ts'
import type { WorkingOrders } from './working-orders.ts'

/** More listed orders of one client at one exchange are checked in the background. */
const MANY = 500
const GROWN_MS = 600_000

export interface SyncDeps extends RoundDeps {
  readonly workingOrders: WorkingOrders
  readonly events: Pick<Events, 'emit'>
  readonly clients: Pick<ClientStore, 'find'>
  readonly nowMs: () => number
}

/**
 * What the account of the present keys shows of an order that was placed with earlier ones.
 * `elsewhere`: it does not have it; `not-yet`: the same of an order that may not be visible yet;
 * `unclear`: the order cannot be looked up, or the responses prove nothing; `unread`: the exchange
 * gave no clear response.
 */
export type OfOtherKeys = 'open' | 'ended' | 'elsewhere' | 'not-yet' | 'unclear' | 'unread'

/** Asks an exchange which of the listed orders are open, and removes those that have ended. */
export class WorkingOrderSync {
  readonly #deps: SyncDeps
  readonly #grownAtMs = new Map<string, number>()
  readonly #readAtMs = new Map<string, number>()
  /** Orders that an account does not have, with its keys: they are not asked for again. */
  readonly #elsewhere = new WeakMap<WorkingOrder, number>()

  constructor(deps: SyncDeps) {
    this.#deps = deps
  }

  /** When `sync` last read the lists of a client at an exchange; undefined: not yet. */
  readAtMs(clientRef: number, exchange: ExchangeCode): number | undefined {
    return this.#readAtMs.get(`${clientRef} ${exchange}`)
  }

  /**
   * `sync` for a client, at any time.
   * @param jobClass its place in the queue
   * @throws as `sync`
   */
  async syncOf(clientRef: number, exchange: ExchangeCode, jobClass: JobClass): Promise<void> {
    const context = await contextOf(this.#deps.clients, clientRef, 'working-orders')
    if (context !== undefined) await this.sync(context, exchange, jobClass)
  }

  /**
   * `removeEnded` for a client, at any time.
   * @param jobClass its place in the queue
   * @returns the orders that may still be open
   * @throws as `sync`
   */
  async removeEndedOf(
    { clientRef, exchange }: AtExchange,
    orders: readonly WorkingOrder[],
  ): Promise<WorkingOrder[]> {
    const context = await contextOf(this.#deps.clients, clientRef, 'working-orders')
    if (context === undefined) return []
    const ofThese = (order: WorkingOrder) => orders.includes(order)
    const own = (await this.#ownOrders(context, exchange)).filter(ofThese)
    await this.removeEnded(context, exchange, own, { jobClass: 'market' })
    return this.#deps.workingOrders.list(clientRef, exchange).filter(ofThese)
  }

  /**
   * Keeps the list of a bot that never cancels from growing: asks in the background when it is
   * long, and at most every ten minutes.
   */
  grown(clientRef: number, exchange: ExchangeCode): void {
    const { workingOrders, events, nowMs } = this.#deps
    const name = `${clientRef} ${exchange}`
    if (workingOrders.countOf(clientRef) <= MANY) return
    if (nowMs() - (this.#grownAtMs.get(name) ?? 0) < GROWN_MS) return
    // Last, because it goes through all of them, and this runs at each order.
    if (workingOrders.list(clientRef, exchange).length <= MANY) return
    this.#grownAtMs.set(name, nowMs())
    this.syncOf(clientRef, exchange, 'market').catch((error: unknown) =>
      events.emit('workingOrdersNotRead', { exchange, clientRef, error }),
    )
  }

  /**
   * Asks for the lists of open orders, at first for all symbols together. Orders that were placed
   * in the last minute stay: a list may not have them yet.
   * @throws the errors of the lane and the transport, StoreUnwritableError
   */
  async sync(context: RequestContext, exchange: ExchangeCode, jobClass: JobClass): Promise<void> {
    const { workingOrders, nowMs } = this.#deps
    const startedAtMs = nowMs()
    const beforeMs = startedAtMs - VISIBLE_AFTER_MS
    const orders = await this.#ownOrders(context, exchange)
    const old = orders.filter(({ placedAtMs }) => placedAtMs <= beforeMs)
    if (old.length === 0) return
    const round = await startRound(this.#deps, context, exchange, jobClass)
    const ended: WorkingOrder[] = []
    for (const order of old) if (await this.#isInNoList(order, round)) ended.push(order)
    await workingOrders.remove(ended)
    if (round.isComplete()) this.#readAtMs.set(`${context.clientRef} ${exchange}`, startedAtMs)
  }

  /**
   * Searches every place for some orders, and removes those that have ended.
   * @throws as `sync`
   */
  async removeEnded(
    context: RequestContext,
    exchange: ExchangeCode,
    orders: readonly WorkingOrder[],
    { isGone = false, jobClass = 'lookup' }: RemoveOptions = {},
  ): Promise<Removal> {
    if (orders.length === 0) return { cancelled: [], isOut: false }
    const round = await startRound(this.#deps, context, exchange, jobClass)
    const ended: WorkingOrder[] = []
    const cancelled: WorkingOrder[] = []
    for (const order of orders) {
      const state = await this.#stateOf(order, round)
      if (state === 'cancelled') cancelled.push(order)
      const isAbsent = state === 'absent' || (isGone && state === 'unclear')
      // A new order may not be visible yet.
      const isVisible = this.#deps.nowMs() - order.placedAtMs >= VISIBLE_AFTER_MS
      const isOver = state === 'cancelled' || state === 'over'
      if (isOver || (isAbsent && isVisible)) ended.push(order)
    }
    await this.#deps.workingOrders.remove(ended)
    return { cancelled, isOut: round.isOut() }
  }

  /**
   * Searches for orders that were placed with keys which have been replaced. What is open in the
   * account of the present keys is theirs from here on, and what has ended there is removed. An
   * order is known by the exchange's id, which no order of another account has. The questions wait
   * behind all new orders, and end with the context's signal.
   * @throws as `sync`, and the error of an aborted question
   */
  async *takeOver(
    context: RequestContext,
    exchange: ExchangeCode,
    orders: readonly WorkingOrder[],
    keysId: number,
  ): AsyncGenerator<{ readonly order: WorkingOrder; readonly state: OfOtherKeys }, void> {
    const { workingOrders } = this.#deps
    const round = await startRound(this.#deps, context, exchange, 'account')
    const ended: WorkingOrder[] = []
    try {
      for (const order of orders) {
        if (context.signal?.aborted === true) return
        const isKnown = this.#elsewhere.get(order) === keysId
        const state = isKnown ? 'elsewhere' : await this.#ofOtherKeys(order, round)
        if (state === 'open') workingOrders.takeOver(order, keysId)
        if (state === 'ended') ended.push(order)
        if (state === 'elsewhere') this.#elsewhere.set(order, keysId)
        yield { order, state }
      }
    } finally {
      await workingOrders.remove(ended)
    }
  }

  async #ofOtherKeys(order: WorkingOrder, round: Round): Promise<OfOtherKeys> {
    if (order.orderId === null) return 'unclear'
    const isVisible = this.#deps.nowMs() - order.placedAtMs >= VISIBLE_AFTER_MS
    let isUnread = false
    const ask: Round['ask'] = async (call) => {
      const verdict = await round.ask(call)
      isUnread ||= isUnanswered(verdict)
      return verdict
    }
    // The lists of open orders come first: they are read once for all orders.
    const state = await this.#stateOf(order, { ...round, ask }, { isOpenFirst: true })
    if (state === 'open') return 'open'
    if (state === 'cancelled' || state === 'over') return 'ended'
    if (isUnread) return 'unread'
    if (state !== 'absent') return 'unclear'
    return isVisible ? 'elsewhere' : 'not-yet'
  }

  /** `absent`: in no list of open orders, and not found among those that have ended. */
  async #stateOf(
    order: WorkingOrder,
    round: Round,
    { isOpenFirst = false } = {},
  ): Promise<'open' | 'cancelled' | 'over' | 'absent' | 'unclear' | 'never'> {
    const lookups = lookupsOfWorking(namedByIds(order), round.exchangeNowMs, round.kind, {
      symbol: order.key.symbol,
    })
    if (lookups === undefined) return 'never'
    const { open, all } = lookups
    let isAbsent = true
    const sorted = [...open, ...all.filter((each) => !open.includes(each))]
    for (const lookup of isOpenFirst ? sorted : all) {
      const found = await answerTo(lookup, round.ask)
      if (typeof found === 'object') {
        if (found.state === 'open' || found.state === 'partially-filled') return 'open'
        return found.state === 'cancelled' ? 'cancelled' : 'over'
      }
      // Where there are lists of the open orders, they decide.
      if (open.length === 0 || open.includes(lookup)) isAbsent &&= found === 'absent'
    }
    return isAbsent ? 'absent' : 'unclear'
  }

  /** Those that were placed with the keys that are stored now: others may be of another account. */
  async #ownOrders(context: RequestContext, exchange: ExchangeCode): Promise<WorkingOrder[]> {
    const { workingOrders, upstreams } = this.#deps
    const listed = workingOrders.list(context.clientRef, exchange)
    if (listed.length === 0) return []
    const keysId = await upstreams[exchange].accountRefOf(context)
    return listed.filter((order) => isOfAccount(order, keysId))
  }

  async #isInNoList(order: WorkingOrder, round: Round): Promise<boolean> {
    const named = namedByIds(order)
    // A list of all symbols may be too long; then that of the symbol is asked for.
    for (const symbol of [undefined, order.key.symbol]) {
      const { kind, exchangeNowMs } = round
      const { open = [] } = lookupsOfWorking(named, exchangeNowMs, kind, { symbol }) ?? {}
      const found = await firstFound(open, round)
      if (found !== 'unclear') return found === 'absent'
    }
    return false
  }
}

interface Removal {
  /** Those that were found cancelled. */
  readonly cancelled: readonly WorkingOrder[]
  /** The exchange gave no clear response to one of the questions. */
  readonly isOut: boolean
}

interface RemoveOptions {
  /**
   * The exchange has said that there is no such order, which counts where no place proves the
   * opposite.
   */
  readonly isGone?: boolean
  /** The place in the queue; `lookup` when absent. */
  readonly jobClass?: JobClass
}

async function firstFound(
  lookups: readonly Lookup[],
  { ask }: Round,
): Promise<'found' | 'absent' | 'unclear'> {
  let isAbsent = lookups.length > 0
  for (const lookup of lookups) {
    const found = await answerTo(lookup, ask)
    if (typeof found === 'object') return 'found'
    isAbsent &&= found === 'absent'
  }
  return isAbsent ? 'absent' : 'unclear'
}
