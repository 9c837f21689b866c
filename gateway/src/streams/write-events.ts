import type { StreamState } from 'schema'
import type { AccountEvent, FeedName, FeedProtocol } from '../exchanges/feed.ts'
import type { FeedAccount } from './account-socket.ts'
import { keyTextOf } from './picture.ts'
import type { NewStreamEvent, OrderOwner, StoredStreamEvent } from './stream-event.ts'

/** A frame of an exchange that is of use to the bots that speak the exchange's own protocol. */
export interface FeedPush {
  readonly feed: FeedName
  readonly channel: string
  readonly raw: string | Buffer
  readonly events: readonly AccountEvent[]
  /** Of the events, in their order; undefined: nobody's that the gateway knows. */
  readonly owners: readonly (OrderOwner | undefined)[]
  readonly receivedAtMs: number
}

export interface FeedState {
  readonly state: StreamState['state']
  readonly sinceMs: number
  readonly reason: string | null
}

export interface EventWriterDeps {
  readonly join: {
    ownerOf(
      exchange: FeedAccount['exchange'],
      accountClients: readonly number[],
      event: AccountEvent,
    ): Promise<OrderOwner | undefined>
  }
  readonly log: {
    append(events: readonly NewStreamEvent[]): Promise<readonly StoredStreamEvent[]>
  }
  readonly heard: {
    heard(
      exchange: FeedAccount['exchange'],
      event: AccountEvent,
      owner: OrderOwner,
    ): void | Promise<void>
  }
}

/** Events that came together, and what is to happen when they are on the disk. */
export interface EventBatch {
  /** What changed the picture: it is written, and told. */
  readonly changed: readonly AccountEvent[]
  readonly source: NewStreamEvent['source']
  readonly receivedAtMs: number
  /** The frame that they came in, for `onPush`. */
  readonly push?: Pick<FeedPush, 'channel' | 'raw' | 'events'> | undefined
}

interface Waiting {
  readonly batch?: EventBatch
  readonly state?: FeedState
}

export interface EventWriterListener {
  pushed(push: FeedPush): void
  stateWritten(state: FeedState): void
  /** What follows an event failed: the reconciler's look-up does it later. */
  hearingFailed(error: unknown): void
  /** These events are not on the disk, and nobody has them. Nothing more is written. */
  writingFailed(error: unknown): void
}

/**
 * Takes what happened in one account: finds out whose orders it is about, writes it, and gives it
 * on, always in the order in which it came. What comes during a write is in the next one.
 */
export class EventWriter {
  readonly #deps: EventWriterDeps
  readonly #account: FeedAccount
  readonly #protocol: FeedProtocol
  readonly #listener: EventWriterListener
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #hasFailed = false

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
    if (batch.changed.length > 0 || batch.push !== undefined) this.#add({ batch })
  }

  addState(state: FeedState): void {
    this.#add({ state })
  }

  /** When everything that came so far is written, or could not be. */
  async idle(): Promise<void> {
    await this.#writing
  }

  #add(waiting: Waiting): void {
    if (this.#hasFailed) return
    this.#waiting.push(waiting)
    this.#writing ??= this.#writeAll()
      .catch((error: unknown) => {
        this.#hasFailed = true
        this.#waiting = []
        this.#listener.writingFailed(error)
      })
      .finally(() => {
        this.#writing = undefined
      })
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const all = this.#waiting
      this.#waiting = []
      const owned = await Promise.all(all.map((each) => this.#ownersOf(each)))
      const rows = all.flatMap(({ batch, state }, index) =>
        state === undefined
          ? (batch?.changed ?? []).map((event) => this.#toRow(event, batch, owned[index]))
          : this.#stateRows(state),
      )
      if (rows.length > 0) await this.#deps.log.append(rows)
      for (const [index, { batch, state }] of all.entries()) {
        if (state !== undefined) this.#listener.stateWritten(state)
        if (batch !== undefined) this.#give(batch, owned[index] ?? new Map())
      }
    }
  }

  async #ownersOf({ batch }: Waiting): Promise<Owners> {
    const owners: Owners = new Map()
    if (batch === undefined) return owners
    const { exchange, clients } = this.#account
    for (const event of new Set([...batch.changed, ...(batch.push?.events ?? [])])) {
      if (event.type !== 'order' && event.type !== 'fill') continue
      const owner = await this.#deps.join.ownerOf(exchange, clients, event)
      if (owner !== undefined) owners.set(event, owner)
    }
    return owners
  }

  #give({ changed, push, receivedAtMs }: EventBatch, owners: Owners): void {
    const { exchange } = this.#account
    for (const event of changed) {
      const owner = owners.get(event)
      if (owner === undefined) continue
      // What it does at once, such as limits, is done before a bot can act on the event.
      void this.#hear(() => this.#deps.heard.heard(exchange, event, owner))
    }
    if (push === undefined) return
    this.#listener.pushed({
      ...{ feed: this.#protocol.name, ...push, receivedAtMs },
      owners: push.events.map((event) => owners.get(event)),
    })
  }

  async #hear(hear: () => void | Promise<void>): Promise<void> {
    try {
      await hear()
    } catch (error) {
      this.#listener.hearingFailed(error)
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
      receivedAtMs: batch?.receivedAtMs ?? 0,
      source: batch?.source ?? 'stream',
      data: JSON.stringify(hasOwner ? { ...event.data, ...joined } : event.data),
      key: keyTextOf(event),
    }
  }

  #stateRows({ state, sinceMs: since, reason }: FeedState): NewStreamEvent[] {
    const { exchange, accountRef } = this.#account
    const data = JSON.stringify({ state, since, reason } satisfies StreamState)
    return this.#protocol.markets.map((market) => ({
      ...{ accountRef, exchange, market, data, type: 'state', ownerRef: null, symbol: null },
      ...{ key: null, timeMs: null, receivedAtMs: since, source: 'journal' },
    }))
  }
}

type Owners = Map<AccountEvent, OrderOwner>
