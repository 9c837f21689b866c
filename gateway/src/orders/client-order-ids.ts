import { upperAscii } from '../exchanges/effect-fields.ts'
import type { GivenId } from '../exchanges/order-lookup/bot-orders.ts'
import { mayRest, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { Time } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import type { OrderRequest } from './order-request.ts'
import { keyOf } from './reconcile.ts'
import type { WorkingOrderSync } from './sync-working-orders.ts'
import type { WorkingOrder, WorkingOrders } from './working-orders.ts'

/**
 * For how long an id belongs to an order that was never open, after the caller got the response: a
 * bot may use it again later (docs/outcomes.md, rule 5).
 */
const HEARD_FOR_MS = 60_000
/**
 * For how long it belongs to any order whose caller got no response, or only that the outcome is
 * unknown: it asks again.
 */
const UNHEARD_FOR_MS = 3_600_000

type Request = Pick<OrderRequest, 'id' | 'clientRef' | 'exchange'>

/** The names of a request that placed orders. */
interface Held {
  readonly names: readonly string[]
  isUnheard: boolean
  /** By the monotonic clock; of an order that has not ended, never. */
  readonly untilMs: number
}

export interface ClientOrderIdsDeps {
  readonly journal: Pick<JournalStore, 'find' | 'listPlaced'>
  readonly workingOrders: Pick<WorkingOrders, 'list' | 'withIds'>
  readonly sync: Pick<WorkingOrderSync, 'removeEndedOf'>
  readonly events: Pick<Events, 'on'>
  readonly time: Pick<Time, 'now' | 'monotonic'>
}

/**
 * The client order ids that bots gave to their orders, as idempotency keys of requests that have no
 * other: an exchange accepts an id again once its order is no longer open, MEXC perhaps at any time
 * (docs/exchanges). An id belongs to its order until the outcome is known, and then for as long as
 * the order is open; for some time longer where the order was never open, or where the bot may not
 * know that it was placed. It is free at once when nothing was placed, and when the order was
 * cancelled or replaced through the gateway.
 */
export class ClientOrderIds {
  readonly #deps: ClientOrderIdsDeps
  /** The id of the request that a name belongs to. */
  readonly #byName = new Map<string, string>()
  readonly #open = new Map<string, Held>()
  /** Of known outcome, in the order in which they become free. */
  readonly #heard = new Map<string, Held>()
  readonly #unheard = new Map<string, Held>()

  constructor(deps: ClientOrderIdsDeps) {
    this.#deps = deps
    deps.events.on('orderSettled', ({ order, state, results }) => {
      if (state === 'answered' || state === 'resolved') this.#placed(order.id, results)
      else this.forget(order.id)
    })
    deps.events.on('orderResolved', ({ order, outcome, results }) => {
      this.callersGone(order.id)
      if (outcome === 'done') this.#placed(order.id, results)
      else this.forget(order.id)
    })
  }

  /** Reads what the previous process placed. Call it once the working orders are read. */
  async load(): Promise<void> {
    const { journal, workingOrders, time } = this.#deps
    const nowMs = time.now()
    const rows = await journal.listPlaced({
      answeredSinceMs: nowMs - HEARD_FOR_MS,
      resolvedSinceMs: nowMs - UNHEARD_FOR_MS,
    })
    for (const row of rows) {
      const isUnheard = row.state === 'resolved'
      const listed = isUnheard ? workingOrders.list(row.clientRef, row.exchange) : []
      const isListed = ({ clientOrderId }: OrderKey) =>
        listed.some((each) => each.journalId === row.id && each.clientOrderId === clientOrderId)
      // One that rested and is not listed any more was cancelled, or found ended.
      this.sending(
        row,
        placedIn(keyOf(row)).filter((order) => !mayRest(order) || isListed(order)),
      )
      if (isUnheard) this.callersGone(row.id)
      this.#placed(row.id, [])
    }
  }

  /** An order of the previous process whose outcome is unknown. */
  resume(row: JournalRow): void {
    this.sending(row, placedIn(keyOf(row)))
    this.callersGone(row.id)
  }

  /** A request with orders to which the bot gave these ids is carried out. */
  sending(request: Request, ids: readonly GivenId[]): void {
    this.#removeOld()
    const names = idNames(request, ids)
    if (names.length === 0) return
    for (const name of names) this.#byName.set(name, request.id)
    this.#open.set(request.id, { names, isUnheard: false, untilMs: Number.POSITIVE_INFINITY })
  }

  /** Nobody gets the response of a request. */
  callersGone(id: string): void {
    const held = this.#open.get(id)
    if (held !== undefined) held.isUnheard = true
  }

  /** Nothing was placed. */
  forget(id: string): void {
    const held = this.#open.get(id)
    if (held === undefined) return
    this.#open.delete(id)
    for (const name of held.names) this.#free(name, id)
  }

  /** An order was cancelled or replaced through the gateway. */
  cancelled({ clientRef, exchange, journalId, key }: WorkingOrder): void {
    if (journalId === null) return
    for (const name of idNames({ clientRef, exchange }, [key])) this.#free(name, journalId)
  }

  /**
   * Asks the exchange which of the orders with these ids have ended, where nothing else says whose
   * the ids are. Never rejects: an order counts as open while that cannot be found out.
   */
  async removeEnded(request: Request, ids: readonly GivenId[]): Promise<void> {
    this.#removeOld()
    if (idNames(request, ids).some((name) => this.#byName.has(name))) return
    const listed = ids.flatMap((id) => this.#listed(request, id))
    if (listed.length > 0)
      await this.#deps.sync.removeEndedOf(request, listed, 'account').catch(noop)
  }

  /**
   * The request that one of these ids belongs to.
   * @throws StoreUnwritableError when it cannot be read
   */
  async firstOf(request: Request, ids: readonly GivenId[]): Promise<JournalRow | undefined> {
    this.#removeOld()
    for (const given of ids) {
      const [name = ''] = idNames(request, [given])
      const id = this.#byName.get(name) ?? this.#listed(request, given).at(-1)?.journalId ?? null
      const row = id === null ? undefined : await this.#deps.journal.find(id)
      if (row !== undefined) return row
    }
    return undefined
  }

  /** The working orders that were placed with an id, oldest first. */
  #listed({ clientRef, exchange }: Request, given: GivenId): WorkingOrder[] {
    const { clientOrderId } = given
    if (clientOrderId === undefined) return []
    return this.#deps.workingOrders
      .withIds(clientRef, exchange, { clientOrderId })
      .filter(({ key }) => idPart({ ...key, clientOrderId }) === idPart(given))
  }

  #placed(id: string, results: readonly OrderResult[]): void {
    const held = this.#open.get(id)
    if (held === undefined) return
    this.#open.delete(id)
    const { names, isUnheard } = held
    const untilMs = this.#deps.time.monotonic() + (isUnheard ? UNHEARD_FOR_MS : HEARD_FOR_MS)
    const ended = isUnheard ? this.#unheard : this.#heard
    ended.set(id, { names, isUnheard, untilMs })
    for (const { order, became } of results) {
      // The list of working orders knows those that may be open.
      const isFree = became === 'nothing' || (became === 'working' && !isUnheard)
      const part = isFree ? idPart(order) : undefined
      for (const name of names) if (part !== undefined && name.endsWith(part)) this.#free(name, id)
    }
  }

  #free(name: string, id: string): void {
    if (this.#byName.get(name) === id) this.#byName.delete(name)
  }

  #removeOld(): void {
    const nowMs = this.#deps.time.monotonic()
    for (const ended of [this.#heard, this.#unheard])
      for (const [id, { names, untilMs }] of ended) {
        if (untilMs > nowMs) break
        ended.delete(id)
        for (const name of names) this.#free(name, id)
      }
  }
}

/** The same id of two clients, markets or symbols is two names. */
export function idNames(
  { clientRef, exchange }: Pick<Request, 'clientRef' | 'exchange'>,
  ids: readonly GivenId[],
): string[] {
  return ids.flatMap((id) =>
    id.clientOrderId === undefined ? [] : [`${clientRef} ${exchange} ${idPart(id)}`],
  )
}

function idPart({ market, symbol, demo = false, plan = '', clientOrderId }: GivenId): string {
  return JSON.stringify([market, upperAscii(symbol), demo, plan !== '', clientOrderId])
}

/** What a call places, as far as it can be told by an id. */
function placedIn(key: OrderKey | undefined): OrderKey[] {
  return key === undefined ? [] : ordersOf(key).filter(({ action }) => action === 'place')
}

function noop(): void {}
