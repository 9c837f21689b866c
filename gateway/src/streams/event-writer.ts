import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StreamState } from 'schema'
import type { AccountEvent, FeedName, FeedProtocol } from '../exchanges/feed.ts'
import { fromContracts } from '../exchanges/symbol-rules.ts'
import { toError } from '../lane/errors.ts'
import type { OrderUpdates } from '../orders/order-updates.ts'
import type { Time } from '../time.ts'
import type { RulesCache } from '../upstream/rules-cache.ts'
import type { FeedAccount } from './account-socket.ts'
import type { EventLog } from './event-log.ts'
import type { OrderJoin } from './join-orders.ts'
import { keyTextOf } from './picture.ts'
import type { NewStreamEvent, OrderOwner } from './stream-event.ts'

/** A frame for bots that use the exchange's own protocol. */
export interface FeedPush {
  readonly feed: FeedName
  readonly channel: string
  readonly raw: string | Buffer
  readonly events: readonly AccountEvent[]
  /** The owners of the events, in the same order; undefined: no known client. */
  readonly owners: readonly (OrderOwner | undefined)[]
  readonly receivedAtMs: number
}

export interface FeedState {
  readonly state: StreamState['state']
  readonly sinceMs: number
  readonly reason: string | null
}

export interface EventWriterDeps {
  readonly time: Time
  readonly join: Pick<OrderJoin, 'ownerOf'>
  readonly log: Pick<EventLog, 'append' | 'lastSeq'>
  readonly orderUpdates: Pick<OrderUpdates, 'receive'>
  /** They have the sizes of contracts. */
  readonly rules: Pick<RulesCache, 'peek' | 'get'>
}

type PositionEvent = Extract<AccountEvent, { type: 'position' }>

/** Events that are written together, and what follows when they are on the disk. */
export interface EventBatch {
  /** The events that changed the picture: they are written and published. */
  readonly changed: readonly AccountEvent[]
  readonly source: NewStreamEvent['source']
  readonly receivedAtMs: number
  /** The frame of the events, for `onPush`. */
  readonly push?: Pick<FeedPush, 'channel' | 'raw' | 'events'> | undefined
}

/** The state of an account, as events. */
export interface AccountSnapshot {
  /** The number of the last event that it includes. */
  readonly seq: number
  readonly events: readonly NewStreamEvent[]
}

interface Waiting {
  readonly batch?: EventBatch
  readonly state?: FeedState
  readonly snapshot?: {
    readonly events: readonly AccountEvent[]
    readonly resolve: (snapshot: AccountSnapshot) => void
    readonly reject: (error: unknown) => void
  }
}

export interface EventWriterListener {
  pushed(push: FeedPush): void
  stateWritten(state: FeedState): void
  /**
   * A step after an event failed. A later look-up replaces an order update, and the next event of a
   * position reads the size of its contract again.
   */
  failed(step: 'journal' | 'contract size', error: unknown): void
  /** These events were not written, and no bot has them. The writer writes nothing more. */
  writingFailed(error: unknown): void
}

/**
 * Writes the events of one account: finds the owners of orders, stores the events, and publishes
 * them, always in the order in which they came. Events during a write are in the next one.
 */
export class EventWriter {
  readonly #deps: EventWriterDeps
  readonly #account: FeedAccount
  readonly #protocol: FeedProtocol
  readonly #listener: EventWriterListener
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  readonly #applying = new Set<Promise<void>>()
  #failure: Error | undefined
  /** Positions that were published without their quantity in the base coin, the newest of each. */
  readonly #inContracts = new Map<string, PositionEvent>()
  readonly #learning = new Set<string>()
  #isClosed = false

  constructor(
    deps: EventWriterDeps,
    account: FeedAccount,
    protocol: FeedProtocol,
    listener: EventWriterListener,
  ) {
    this.#deps = deps
    this.#account = account
    this.#protocol = protocol
    this.#listener = listener
  }

  add(batch: EventBatch): void {
    if (batch.changed.length === 0 && batch.push === undefined) return
    const changed = batch.changed.map((event) =>
      event.type === 'position' ? this.#toTell(event) : event,
    )
    this.#add({ batch: { ...batch, changed } })
  }

  addState(state: FeedState): void {
    this.#add({ state })
  }

  /** The present state as events, after everything before it is written. */
  snapshot(events: readonly AccountEvent[]): Promise<AccountSnapshot> {
    const { promise, resolve, reject } = Promise.withResolvers<AccountSnapshot>()
    const inBase = events.map((event) => (event.type === 'position' ? this.#inBase(event) : event))
    this.#add({ snapshot: { events: inBase, resolve, reject } })
    return promise
  }

  /** Resolves when all events so far are written, or the write failed. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#writing
    await Promise.all(this.#applying)
  }

  /** Adds the quantity in the base coin, if the size of the contract is known. */
  #inBase(event: PositionEvent): PositionEvent {
    const { symbol, quantity, contracts } = event.data
    if (quantity !== null || contracts === null) return event
    const rules = this.#deps.rules.peek(this.#rulesKey(symbol))
    const inBase = rules === undefined ? undefined : fromContracts(rules, contracts)
    return inBase === undefined ? event : { ...event, data: { ...event.data, quantity: inBase } }
  }

  /** The same. An unknown size is read, and the position is published again. */
  #toTell(event: PositionEvent): PositionEvent {
    const { symbol, side } = event.data
    const inBase = this.#inBase(event)
    this.#inContracts.delete(`${symbol} ${side}`)
    if (inBase.data.quantity !== null || this.#deps.rules.peek(this.#rulesKey(symbol)))
      return inBase
    this.#inContracts.set(`${symbol} ${side}`, event)
    if (!this.#learning.has(symbol)) void this.#learnSize(symbol)
    return inBase
  }

  /** Behind all orders. */
  async #learnSize(symbol: string): Promise<void> {
    this.#learning.add(symbol)
    try {
      if ((await this.#deps.rules.get(this.#rulesKey(symbol), 'market')) === undefined) return
    } catch (error) {
      if (!this.#isClosed) this.#listener.failed('contract size', error)
      return
    } finally {
      this.#learning.delete(symbol)
    }
    const changed = [...this.#inContracts.values()].filter((event) => event.data.symbol === symbol)
    const receivedAtMs = this.#deps.time.now()
    if (!this.#isClosed) this.add({ changed, source: 'rest', receivedAtMs })
  }

  #rulesKey(symbol: string) {
    return { exchange: this.#account.exchange, market: 'futures', symbol } as const
  }

  #add(waiting: Waiting): void {
    if (this.#failure !== undefined) {
      waiting.snapshot?.reject(this.#failure)
      return
    }
    this.#waiting.push(waiting)
    this.#writing ??= this.#writeAll().catch((error: unknown) => {
      this.#failure = toError(error)
      for (const { snapshot } of this.#waiting) snapshot?.reject(this.#failure)
      this.#waiting = []
      this.#writing = undefined
      this.#listener.writingFailed(error)
    })
  }

  async #writeAll(): Promise<void> {
    // An order, its fill and its account come in frames of their own, at once: one write for all.
    await nextTurn()
    while (this.#waiting.length > 0) {
      // What comes after a snapshot is not in it, and gets a later number.
      const snapshotAt = this.#waiting.findIndex(({ snapshot }) => snapshot !== undefined)
      const all = this.#waiting.slice(0, snapshotAt === -1 ? undefined : snapshotAt + 1)
      const owned = await Promise.all(all.map((each) => this.#ownersOf(each)))
      const rows = all.flatMap(({ batch, state }, index) =>
        state === undefined
          ? (batch?.changed ?? []).map((event) => this.#toRow(event, batch, owned[index]))
          : this.#stateRows(state),
      )
      // Limits, for example, know an event before a bot can act on it.
      for (const [index, { batch }] of all.entries()) this.#updateOrders(batch, owned[index])
      if (rows.length > 0) await this.#deps.log.append(rows)
      // Events that came during the write follow them.
      this.#waiting = this.#waiting.slice(all.length)
      for (const [index, { batch, state, snapshot }] of all.entries()) {
        const owners = owned[index] ?? new Map()
        if (state !== undefined) this.#listener.stateWritten(state)
        if (batch !== undefined) this.#give(batch, owners)
        const { lastSeq: seq } = this.#deps.log
        const toRow = (event: AccountEvent) => this.#toRow(event, undefined, owners)
        snapshot?.resolve({ seq, events: snapshot.events.map(toRow) })
      }
    }
    // In the same turn as the last look: what comes from now on begins another write.
    this.#writing = undefined
  }

  async #ownersOf({ batch, snapshot }: Waiting): Promise<Owners> {
    const owners: Owners = new Map()
    const { join } = this.#deps
    const { exchange, clients } = this.#account
    const events = [
      ...[batch?.changed ?? [], batch?.push?.events ?? [], snapshot?.events ?? []].flat(),
    ]
    // A push has the same order as what changed by it.
    const known = new Map<string, OrderOwner | undefined>()
    for (const event of new Set(events)) {
      if (event.type !== 'order' && event.type !== 'fill') continue
      const { type, market, data } = event
      const plan = type === 'order' ? event.key.plan : undefined
      const name = JSON.stringify([type, market, plan, data.orderId, data.clientOrderId])
      if (!known.has(name)) known.set(name, await join.ownerOf(exchange, clients, event))
      const owner = known.get(name)
      if (owner !== undefined) owners.set(event, owner)
    }
    return owners
  }

  #give({ push, receivedAtMs }: EventBatch, owners: Owners): void {
    if (push === undefined) return
    this.#listener.pushed({
      ...{ feed: this.#protocol.name, ...push, receivedAtMs },
      owners: push.events.map((event) => owners.get(event)),
    })
  }

  /** Not awaited here, as it may take longer than the events. `close` awaits it. */
  #updateOrders(batch: EventBatch | undefined, owners: Owners | undefined): void {
    for (const event of batch?.changed ?? []) {
      const owner = owners?.get(event)
      if (owner === undefined) continue
      const applying = this.#deps.orderUpdates
        .receive(this.#account.exchange, event, owner)
        .catch((error: unknown) => this.#listener.failed('journal', error))
        .finally(() => this.#applying.delete(applying))
      this.#applying.add(applying)
    }
  }

  #toRow(event: AccountEvent, batch: EventBatch | undefined, owners?: Owners): NewStreamEvent {
    const { exchange, accountRef } = this.#account
    const { type, market, timeMs } = event
    const owner = owners?.get(event)
    const hasOwner = type === 'order' || type === 'fill'
    const joined = {
      requestId: owner?.requestId ?? null,
      idempotencyKey: owner?.idempotencyKey ?? null,
      clientOrderId: (hasOwner ? event.data.clientOrderId : null) ?? owner?.clientOrderId ?? null,
    }
    return {
      ...{ accountRef, exchange, market, timeMs, type },
      ownerRef: owner?.clientRef ?? null,
      symbol: type === 'balance' ? null : event.data.symbol,
      receivedAtMs: batch?.receivedAtMs ?? this.#deps.time.now(),
      source: batch?.source ?? 'journal',
      data: JSON.stringify(hasOwner ? { ...event.data, ...joined } : event.data),
      key: keyTextOf(event),
    }
  }

  #stateRows({ state, sinceMs: since, reason }: FeedState): NewStreamEvent[] {
    // It may be said again: then nothing was missed until now.
    const receivedAtMs = state === 'live' ? this.#deps.time.now() : since
    const { exchange, accountRef } = this.#account
    const data = JSON.stringify({ state, since, reason } satisfies StreamState)
    return this.#protocol.markets.map((market) => ({
      ...{ accountRef, exchange, market, data, type: 'state', ownerRef: null, symbol: null },
      ...{ key: null, timeMs: null, receivedAtMs, source: 'journal' },
    }))
  }
}

type Owners = Map<AccountEvent, OrderOwner>
