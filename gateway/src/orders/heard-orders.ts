import type { ExchangeCode } from 'schema'
import type { AccountEvent } from '../exchanges/feed.ts'
import { type FoundOrder, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import { foundIn, type HeardOrder, hasEnded, namedIn, wasMadeBy } from './heard-order.ts'
import type { FillLearner } from './learn-fills.ts'
import type { OrderFills } from './order-fills.ts'
import type { Reconciler } from './reconcile.ts'
import { isOfAccount, isSame, type WorkingOrder } from './working-order.ts'
import type { Sent, WorkingOrders } from './working-orders.ts'

export interface HeardOrdersDeps {
  readonly workingOrders: Pick<WorkingOrders, 'list' | 'sentTo' | 'remove'>
  readonly reconciler: Pick<Reconciler, 'heard'>
  readonly fills: Pick<FillLearner, 'heard'>
  readonly orderFills: Pick<OrderFills, 'heard'>
  readonly keys: Pick<ClientKeys, 'accountRefOf'>
  readonly events: Pick<Events, 'emit' | 'on'>
}

/** Whose order it is. */
interface HeardOwner {
  readonly clientRef: number
  /** The request that placed it; null where an earlier version did not store it. */
  readonly requestId: string | null
}

/** What was heard of an order of a client. */
interface Heard {
  readonly exchange: ExchangeCode
  readonly event: HeardOrder
  readonly found: FoundOrder
  readonly owner: HeardOwner
  /** The account, as `accountRefOf` names it for the keys of the client. */
  readonly keysRef: number
}

/**
 * Gives what the feed of an account says of a client's orders to all that would have asked for it:
 * outcomes that are unknown, working orders, own positions, and the journal. Only what it says
 * counts: silence says nothing. Nothing is sent because of it.
 */
export class HeardOrders {
  readonly #deps: HeardOrdersDeps
  readonly #turns = new Turns()
  readonly #running = new Set<Promise<void>>()
  /** By the request that is about them and has no outcome yet: the last of each order. */
  readonly #until = new Map<string, Map<string, Heard>>()

  constructor(deps: HeardOrdersDeps) {
    this.#deps = deps
    const { events } = deps
    events.on('orderSettled', ({ order }) => this.#ended(order.id))
    events.on('orderResolved', ({ order }) => this.#ended(order.id))
    events.on('clientDeleted', ({ clientRef }) => this.#forgetClient(clientRef))
  }

  /**
   * An event of the account, whose order is a client's. Late and repeated events change nothing.
   * Never rejects: a write that fails is reported, and what it was about is asked for later.
   */
  heard(exchange: ExchangeCode, event: AccountEvent, owner: HeardOwner): Promise<void> {
    const found = event.type === 'order' ? foundIn(event) : undefined
    if (event.type !== 'order' || found === undefined) return Promise.resolve()
    return this.#run(this.#hear(exchange, event, found, owner))
  }

  async #hear(
    exchange: ExchangeCode,
    event: HeardOrder,
    found: FoundOrder,
    owner: HeardOwner,
  ): Promise<void> {
    const { clientRef, requestId } = owner
    const endTurn = await this.#turns.take(`${clientRef} ${exchange}`)
    const writes: Promise<void>[] = []
    try {
      const keysRef = await this.#deps.keys.accountRefOf(clientRef, exchange)
      const heard = { exchange, event, found, owner, keysRef }
      if (!this.#tellRequests(heard)) writes.push(this.#apply(heard))
      if (requestId !== null && event.isGone !== true)
        writes.push(this.#deps.orderFills.heard(requestId, found, event.timeMs))
    } catch (error) {
      // Without keys the client has no account any more, and nothing of it counts.
      if (!(error instanceof ExchangeKeysMissingError)) this.#report(owner, event, error)
    } finally {
      endTurn()
    }
    await Promise.all(writes)
  }

  /**
   * Gives it to the requests about the order that have no outcome yet.
   * @returns whether one of them needs the order as it was: then it is applied when that has ended
   */
  #tellRequests(heard: Heard): boolean {
    const { exchange, found } = heard
    let isNeeded = false
    for (const sent of this.#deps.workingOrders.sentTo(exchange)) {
      if (sent.key === undefined) continue
      const orders = ordersOf(sent.key)
      for (const [at, order] of orders.entries()) {
        const about = relationOf(sent, order, heard)
        if (about === undefined) continue
        if (about.proves) this.#deps.reconciler.heard(sent.id, at, found, orders.length)
        if (!about.needs) continue
        isNeeded = true
        const until = this.#until.get(sent.id) ?? new Map<string, Heard>()
        this.#until.set(sent.id, until)
        until.set(nameOf(heard), latestOf(until.get(nameOf(heard)), heard))
      }
    }
    return isNeeded
  }

  /** An order that a client placed: it may have ended, or been filled. */
  async #apply(heard: Heard): Promise<void> {
    const { exchange, event, found, owner, keysRef } = heard
    const { workingOrders, fills } = this.#deps
    const at = { clientRef: owner.clientRef, exchange }
    if (event.isGone !== true) fills.heard(at, keysRef, event, found)
    if (!hasEnded(found)) return
    const listed = workingOrders.list(owner.clientRef, exchange)
    const ended = listed.filter((order) => isIt(order, heard))
    const isById = ended.filter(({ orderId }) => orderId === found.orderId)
    const gone = isById.length > 0 ? isById : ended
    // Several that have no id of the exchange yet: nobody knows which of them it is.
    if (gone.length !== 1) return
    try {
      await workingOrders.remove(gone, gone[0]?.journalId === owner.requestId)
    } catch (error) {
      this.#report(owner, event, error)
    }
  }

  /** A request has its outcome: what was heard of its orders meanwhile counts now. */
  #ended(requestId: string): void {
    const until = this.#until.get(requestId)
    this.#until.delete(requestId)
    for (const heard of until?.values() ?? [])
      if (!this.#tellRequests(heard)) void this.#run(this.#apply(heard))
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
    for (const [requestId, until] of this.#until)
      for (const [name, { owner }] of until)
        if (owner.clientRef === clientRef) {
          until.delete(name)
          if (until.size === 0) this.#until.delete(requestId)
        }
  }

  #report({ requestId }: HeardOwner, { data }: HeardOrder, error: unknown): void {
    this.#deps.events.emit('journalFailed', { id: requestId ?? data.orderId, error })
  }
}

/** What an event says of a request that has no outcome yet. */
interface Relation {
  /** It shows what became of the request's order. */
  readonly proves: boolean
  /** The end of the request is read with the order as it was. */
  readonly needs: boolean
}

function relationOf(
  sent: Sent,
  order: OrderKey,
  { event, found, owner, keysRef }: Heard,
): Relation | undefined {
  const isOwn = sent.clientRef === owner.clientRef && isOfAccount(sent, keysRef)
  // That no place has an order proves nothing of it.
  const isProof = event.isGone !== true
  // A bot may use a client order id again while the order that had it before is open.
  const isIts = owner.requestId === sent.id
  if (isOwn && isIts && wasMadeBy(order, event)) return { proves: isProof, needs: true }
  if (!isNamed(order, event, isOwn)) return undefined
  const { action, changeId } = order
  if (action === 'modify')
    return { proves: isProof && changeId !== undefined && changeId === event.changeId, needs: true }
  // An order that is open may still be cancelled.
  if (action === 'place' || !hasEnded(found)) return undefined
  return { proves: isProof, needs: sent.key?.several?.startsWith('replacement') === true }
}

/** Whether a call cancels or changes the order. Clients may use the same client order ids. */
function isNamed(call: OrderKey, event: HeardOrder, isOwn: boolean): boolean {
  const { orderId, oldClientOrderId } = call
  const isInPlace = call.action === 'cancel' || call.isInPlace === true
  const clientOrderId = isInPlace ? call.clientOrderId : oldClientOrderId
  if (orderId === undefined && (clientOrderId === undefined || !isOwn)) return false
  return isSame({ ...event.data, key: event.key }, { ...call, clientOrderId })
}

function isIt(order: WorkingOrder, { event, found, keysRef }: Heard): boolean {
  const { key, orderId, clientOrderId } = order
  if (orderId !== null) return orderId === found.orderId && isSame(order, namedIn(event))
  if (clientOrderId === null || !isOfAccount(order, keysRef)) return false
  return wasMadeBy({ ...key, clientOrderId, action: 'place', isInPlace: undefined }, event)
}

const nameOf = ({ event }: Heard) => `${event.market} ${event.key.plan ?? ''} ${event.data.orderId}`

/** An order that has ended stays so. */
function latestOf(before: Heard | undefined, heard: Heard): Heard {
  return before !== undefined && hasEnded(before.found) ? before : heard
}
