import type { ExchangeCode } from 'schema'
import type { AccountEvent } from '../exchanges/feed.ts'
import { type FoundOrder, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import type { FillLearner } from './learn-fills.ts'
import type { OrderFills } from './order-fills.ts'
import { foundIn, hasEnded, namedIn, type OrderUpdate, wasMadeBy } from './order-update.ts'
import type { Reconciler } from './reconcile.ts'
import { isOfAccount, isSame, type WorkingOrder } from './working-order.ts'
import type { Sent, WorkingOrders } from './working-orders.ts'

export interface OrderUpdatesDeps {
  readonly workingOrders: Pick<WorkingOrders, 'list' | 'sentTo' | 'remove'>
  readonly reconciler: Pick<Reconciler, 'orderPushed'>
  readonly fills: Pick<FillLearner, 'orderPushed'>
  readonly orderFills: Pick<OrderFills, 'pushed'>
  readonly keys: Pick<ClientKeys, 'accountRefOf'>
  readonly events: Pick<Events, 'emit' | 'on'>
}

/** Whose order it is. */
interface UpdateOwner {
  readonly clientRef: number
  /** The request that placed it; null where an earlier version did not store it. */
  readonly requestId: string | null
}

/** An update of a client's order. */
interface Update {
  readonly exchange: ExchangeCode
  readonly event: OrderUpdate
  readonly found: FoundOrder
  readonly owner: UpdateOwner
  /** The account, as `accountRefOf` names it for the keys of the client. */
  readonly keysRef: number
}

/**
 * Passes the order updates of account feeds to everything that would otherwise ask the exchange:
 * requests without an outcome, working orders, own positions and the journal. A missing update
 * means nothing. No update causes a call to an exchange.
 */
export class OrderUpdates {
  readonly #deps: OrderUpdatesDeps
  readonly #turns = new Turns()
  readonly #running = new Set<Promise<void>>()
  /** The last update of each order that has to wait for a request's outcome, by request id. */
  readonly #pending = new Map<string, Map<string, Update>>()

  constructor(deps: OrderUpdatesDeps) {
    this.#deps = deps
    const { events } = deps
    events.on('orderSettled', ({ order }) => this.#ended(order.id))
    events.on('orderResolved', ({ order }) => this.#ended(order.id))
    events.on('clientDeleted', ({ clientRef }) => this.#forgetClient(clientRef))
  }

  /**
   * An event of an account. Only events of orders count. Late and repeated events change nothing.
   * Never rejects: a failed write is reported, and a later look-up finds what it lost.
   */
  receive(exchange: ExchangeCode, event: AccountEvent, owner: UpdateOwner): Promise<void> {
    const found = event.type === 'order' ? foundIn(event) : undefined
    if (event.type !== 'order' || found === undefined) return Promise.resolve()
    return this.#run(this.#receive(exchange, event, found, owner))
  }

  async #receive(
    exchange: ExchangeCode,
    event: OrderUpdate,
    found: FoundOrder,
    owner: UpdateOwner,
  ): Promise<void> {
    const { clientRef, requestId } = owner
    const endTurn = await this.#turns.take(`${clientRef} ${exchange}`)
    const writes: Promise<void>[] = []
    try {
      const keysRef = await this.#deps.keys.accountRefOf(clientRef, exchange)
      const update = { exchange, event, found, owner, keysRef }
      if (!this.#notifyRequests(update)) writes.push(this.#apply(update))
      if (requestId !== null && event.isGone !== true)
        writes.push(this.#deps.orderFills.pushed(requestId, found, event.timeMs))
    } catch (error) {
      // Without keys, the client has no account any more.
      if (!(error instanceof ExchangeKeysMissingError)) this.#report(owner, event, error)
    } finally {
      endTurn()
    }
    await Promise.all(writes)
  }

  /**
   * Passes an update to the requests about its order that have no outcome yet.
   * @returns whether one of them still needs the earlier state of the order. The update is then
   * applied after its outcome
   */
  #notifyRequests(update: Update): boolean {
    const { exchange, found } = update
    let isNeeded = false
    for (const sent of this.#deps.workingOrders.sentTo(exchange)) {
      if (sent.key === undefined) continue
      const orders = ordersOf(sent.key)
      for (const [at, order] of orders.entries()) {
        const about = relationOf(sent, order, update)
        if (about === undefined) continue
        if (about.proves) this.#deps.reconciler.orderPushed(sent.id, at, found, orders.length)
        if (!about.needs) continue
        isNeeded = true
        const pending = this.#pending.get(sent.id) ?? new Map<string, Update>()
        this.#pending.set(sent.id, pending)
        pending.set(nameOf(update), latestOf(pending.get(nameOf(update)), update))
      }
    }
    return isNeeded
  }

  /** Updates the own positions, and removes a working order that has ended. */
  async #apply(update: Update): Promise<void> {
    const { exchange, event, found, owner, keysRef } = update
    const { workingOrders, fills } = this.#deps
    const at = { clientRef: owner.clientRef, exchange }
    if (event.isGone !== true) fills.orderPushed(at, keysRef, event, found)
    if (!hasEnded(found)) return
    const listed = workingOrders.list(owner.clientRef, exchange)
    const ended = listed.filter((order) => isIt(order, update))
    const isById = ended.filter(({ orderId }) => orderId === found.orderId)
    const gone = isById.length > 0 ? isById : ended
    // Several orders have no exchange id yet, and any of them may be this one.
    if (gone.length !== 1) return
    try {
      await workingOrders.remove(gone, gone[0]?.journalId === owner.requestId)
    } catch (error) {
      this.#report(owner, event, error)
    }
  }

  /** A request has its outcome: applies the updates that waited for it. */
  #ended(requestId: string): void {
    const pending = this.#pending.get(requestId)
    this.#pending.delete(requestId)
    for (const update of pending?.values() ?? [])
      if (!this.#notifyRequests(update)) void this.#run(this.#apply(update))
  }

  /** `close` waits for it. */
  #run(work: Promise<void>): Promise<void> {
    const running = work.finally(() => this.#running.delete(running))
    this.#running.add(running)
    return running
  }

  /** Resolves when nothing is being written. */
  async close(): Promise<void> {
    await Promise.all(this.#running)
  }

  #forgetClient(clientRef: number): void {
    for (const [requestId, pending] of this.#pending)
      for (const [name, { owner }] of pending)
        if (owner.clientRef === clientRef) {
          pending.delete(name)
          if (pending.size === 0) this.#pending.delete(requestId)
        }
  }

  #report({ requestId }: UpdateOwner, { data }: OrderUpdate, error: unknown): void {
    this.#deps.events.emit('journalFailed', { id: requestId ?? data.orderId, error })
  }
}

/** What an update means for a request that has no outcome yet. */
interface Relation {
  /** It shows the outcome of the request. */
  readonly proves: boolean
  /** The outcome of the request has to be determined with the earlier state of the order. */
  readonly needs: boolean
}

function relationOf(
  sent: Sent,
  order: OrderKey,
  { event, found, owner, keysRef }: Update,
): Relation | undefined {
  const isOwn = sent.clientRef === owner.clientRef && isOfAccount(sent, keysRef)
  // That the exchange no longer has an order does not prove an outcome.
  const isProof = event.isGone !== true
  // A bot may use a client order id again while an earlier order with it is still open.
  const isIts = owner.requestId === sent.id
  if (isOwn && isIts && wasMadeBy(order, event)) return { proves: isProof, needs: true }
  if (!isNamed(order, event, isOwn)) return undefined
  const { action, changeId } = order
  if (action === 'modify')
    return { proves: isProof && changeId !== undefined && changeId === event.changeId, needs: true }
  // The cancel of an open order may still be on its way.
  if (action === 'place' || !hasEnded(found)) return undefined
  return { proves: isProof, needs: sent.key?.several?.startsWith('replacement') === true }
}

/** Whether a call cancels or changes the order. Clients may use the same client order ids. */
function isNamed(call: OrderKey, event: OrderUpdate, isOwn: boolean): boolean {
  const { orderId, oldClientOrderId } = call
  const isInPlace = call.action === 'cancel' || call.isInPlace === true
  const clientOrderId = isInPlace ? call.clientOrderId : oldClientOrderId
  if (orderId === undefined && (clientOrderId === undefined || !isOwn)) return false
  return isSame({ ...event.data, key: event.key }, { ...call, clientOrderId })
}

function isIt(order: WorkingOrder, { event, found, keysRef }: Update): boolean {
  const { key, orderId, clientOrderId } = order
  if (orderId !== null) return orderId === found.orderId && isSame(order, namedIn(event))
  if (clientOrderId === null || !isOfAccount(order, keysRef)) return false
  return wasMadeBy({ ...key, clientOrderId, action: 'place', isInPlace: undefined }, event)
}

const nameOf = ({ event }: Update) =>
  `${event.market} ${event.key.plan ?? ''} ${event.data.orderId}`

/** An order that has ended stays so. */
function latestOf(before: Update | undefined, update: Update): Update {
  return before !== undefined && hasEnded(before.found) ? before : update
}
