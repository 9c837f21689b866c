import { hash } from 'node:crypto'
import type { ClientLimits, ExchangeCode, StreamMarket, StreamState, StreamType } from 'schema'
import type { Time } from '../time.ts'
import type { EventLog } from './event-log.ts'
import { marketsOf } from './picture.ts'
import {
  canSee,
  type NewStreamEvent,
  type StoredStreamEvent,
  type StreamFilter,
  textOf,
} from './stream-event.ts'

/** So many events are sent before the stream waits until the system has taken them. */
const PAGE = 200
/** A bot has to read them within this time. */
const BEHIND_MS = 10_000
/** The most unread bytes of a bot in the gateway. */
const WAITING_BYTES_MAX = 1_000_000

/** How streams end. WebSockets close with these codes; other streams end with a comment. */
export const STREAM_ENDS = {
  tokenExpired: { code: 4401, reason: 'The token has expired: connect again with a new one' },
  notAllowed: { code: 4403, reason: 'The client may not read this any more' },
  slow: { code: 4408, reason: 'The bot reads too slowly: connect again with the last id' },
  tooMany: { code: 4429, reason: 'Too many streams or messages of this client' },
  failed: { code: 1011, reason: 'The gateway failed: connect again with the last id' },
} as const
export type StreamEnd = (typeof STREAM_ENDS)[keyof typeof STREAM_ENDS]

/** Where the events of a stream go. */
export interface StreamSink {
  /** @param json the event, one object */
  send(id: string, json: string): void
  /** Bytes that the system has not taken yet. */
  readonly waitingBytes: number
  /** Resolves when the system has taken what was sent, or the connection has ended. */
  sent(): Promise<void>
  /** Closes the connection. `isAtOnce`: unsent events are dropped. */
  end(end: StreamEnd, isAtOnce: boolean): void
}

/** The part of an account's feed that a stream uses. */
interface StreamFeed {
  readonly feed: string
  readonly accountRef: number
  readonly markets: readonly StreamMarket[]
  state(): { readonly state: StreamState['state']; sinceMs: number; reason: string | null }
  /** The state of the account as events, and the number of the last event in it. */
  snapshot(): Promise<{ readonly seq: number; readonly events: readonly NewStreamEvent[] }>
}

/** Keeps the feeds of a client's keys open. */
export interface Listening {
  /** Undefined: the client has no keys at the exchange. */
  readonly accountRef: number | undefined
  readonly feeds: readonly StreamFeed[]
  release(): void
}

export interface ClientStreamDeps {
  readonly log: Pick<EventLog, 'lastSeq' | 'subscribe' | 'readAfter' | 'canResumeAfter'>
  readonly feeds: {
    /** @param onChanged called when `listen` would give other feeds, or another account */
    listen(clientRef: number, exchange: ExchangeCode, onChanged: () => void): Promise<Listening>
  }
  readonly time: Pick<Time, 'now' | 'monotonic'>
  /** The last one of some events that came together was sent. It must not throw. */
  readonly onSent?: (event: StoredStreamEvent) => void
  /** The reason of a gap where an account has no feed. */
  readonly whyNoFeed: string
  readonly onError: (error: unknown) => void
}

export interface StreamRequest {
  readonly clientRef: number
  readonly limits: ClientLimits | null
  readonly filter: StreamFilter
  /** The id of the last event that the bot received. */
  readonly after: string | undefined
  readonly wantsSnapshot: boolean
}

/** States and fills are not in a snapshot. */
const IN_SNAPSHOT: ReadonlySet<StreamType> = new Set(['order', 'position', 'balance'])

/** The id of an event: a text that names the client's accounts, and a number. */
const ID = /^([0-9a-f]{12})-(\d{1,16})$/

type Account = Listening & { readonly exchange: ExchangeCode }

/** One bot's stream, over Server-Sent Events or a WebSocket. */
export class ClientStream {
  limits: ClientLimits | null
  readonly #deps: ClientStreamDeps
  readonly #request: StreamRequest
  readonly #sink: StreamSink
  #accounts: readonly Account[] = []
  #epoch = ''
  #unsubscribe: (() => void)[] = []
  /** Events that wait until those before them are sent; undefined: each is sent as it comes. */
  #held: StoredStreamEvent[] | undefined = []
  /** Everything up to this number was sent, or is not for this bot. */
  #seq = 0
  /** Of the event that has no number of its own. */
  #part = 0
  #isEnded = false
  #isStale = false
  #isBusy = false
  /** Since when the bot has been reading a page. */
  #behindSinceMs: number | undefined

  constructor(deps: ClientStreamDeps, request: StreamRequest, sink: StreamSink) {
    this.#deps = deps
    this.#request = request
    this.#sink = sink
    this.limits = request.limits
  }

  /** The last number that the bot has got or needs not. */
  get seq(): number {
    return this.#seq
  }

  /** Sends the missed events or a snapshot, then new events. Resolves before the new ones. */
  async start(): Promise<void> {
    await this.#run(async () => {
      await this.#listen()
      await this.#begin(this.#request.after)
    })
  }

  /** Ends the stream. Nothing is sent after it. */
  end(end: StreamEnd): void {
    if (this.#isEnded) return
    this.closed()
    this.#sink.end(end, end === STREAM_ENDS.notAllowed)
  }

  /** Call it when the connection has ended. */
  closed(): void {
    this.#isEnded = true
    this.#held = undefined
    this.#stopListening()
  }

  /** Ends a stream whose bot does not read. Call it often. */
  check(): void {
    const sinceMs = this.#behindSinceMs
    const isBehind = sinceMs !== undefined && this.#deps.time.monotonic() - sinceMs > BEHIND_MS
    if (isBehind || this.#sink.waitingBytes > WAITING_BYTES_MAX) this.end(STREAM_ENDS.slow)
  }

  /** One step at a time, and again when the account has changed in the meantime. */
  async #run(step: () => Promise<void>): Promise<void> {
    this.#isBusy = true
    try {
      await step()
      while (this.#isStale && !this.#isEnded) await this.#relisten()
    } catch (error) {
      if (!this.#isEnded) this.#deps.onError(error)
      this.end(STREAM_ENDS.failed)
    } finally {
      this.#isBusy = false
    }
  }

  #changed(): void {
    this.#isStale = true
    if (!this.#isBusy && !this.#isEnded) void this.#run(async () => {})
  }

  async #relisten(): Promise<void> {
    const before = this.#epoch
    this.#held ??= []
    await this.#listen()
    if (this.#epoch === before) await this.#goLive()
    else await this.#reset('The keys or the kind of the account have changed')
  }

  async #listen(): Promise<void> {
    this.#isStale = false
    const accounts: Account[] = []
    try {
      for (const exchange of this.#request.filter.exchanges)
        accounts.push(await this.#listenAt(exchange))
    } catch (error) {
      for (const { release } of accounts) release()
      throw error
    }
    // The new ones first: a feed that both want stays open.
    this.#stopListening()
    this.#accounts = accounts
    if (this.#isEnded) return this.#stopListening()
    this.#epoch = epochOf(this.#request.clientRef, accounts)
    this.#unsubscribe = this.#accountRefs().map((accountRef) =>
      this.#deps.log.subscribe(accountRef, (events) => this.#receive(events)),
    )
  }

  async #listenAt(exchange: ExchangeCode): Promise<Account> {
    // What changes until it is there is in what it says then.
    let isThere = false
    const onChanged = () => {
      if (isThere) this.#changed()
    }
    const { feeds } = this.#deps
    const listening = await feeds.listen(this.#request.clientRef, exchange, onChanged)
    isThere = true
    return { ...listening, exchange, release: () => listening.release() }
  }

  #stopListening(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    for (const { release } of this.#accounts) release()
    this.#unsubscribe = []
    this.#accounts = []
  }

  #accountRefs(): number[] {
    const refs = this.#accounts.flatMap(({ accountRef, feeds }) => [
      ...(accountRef === undefined ? [] : [accountRef]),
      ...feeds.map((feed) => feed.accountRef),
    ])
    return [...new Set(refs)]
  }

  async #begin(after: string | undefined): Promise<void> {
    if (after === undefined) return this.#sendKnown(undefined)
    const [, epoch, number = ''] = ID.exec(after) ?? []
    const seq = Number(number)
    if (epoch === undefined)
      return this.#reset('The id is of an event before snapshotEnd, or of none')
    if (epoch !== this.#epoch)
      return this.#reset(
        'The id is of another client, of other keys, or of a stream with other exchanges',
      )
    if (!(await this.#deps.log.canResumeAfter(seq)))
      return this.#reset('The id is too old: events are kept for 24 hours')
    this.#seq = seq
    this.#part = 0
    await this.#replay()
    // What is held may be older than the present state: the states come last.
    await this.#goLive(() => this.#sendStates(() => `${this.#seq}`))
  }

  /** Sends the missed events from the disk. */
  async #replay(): Promise<void> {
    for (;;) {
      const page = await this.#deps.log.readAfter(this.#accountRefs(), this.#seq, PAGE)
      for (const event of page) this.#sendStored(event)
      if (page.length < PAGE || this.#isEnded) return
      // What was held until now is in the next pages.
      if (this.#held !== undefined) this.#held = []
      await this.#sent()
    }
  }

  #reset(why: string): Promise<void> {
    return this.#sendKnown(why)
  }

  /** Sends the states and the snapshots of the accounts. */
  async #sendKnown(reset: string | undefined): Promise<void> {
    const base = this.#deps.log.lastSeq
    this.#seq = base
    this.#part = 0
    const { wantsSnapshot } = this.#request
    // A bot that did not get the whole snapshot must get it again.
    const number = () => (wantsSnapshot ? `${base}.${this.#next()}` : `${base}`)
    if (reset !== undefined) this.#sendOwn(number(), 'reset', { why: reset })
    this.#sendStates(number)
    if (!wantsSnapshot) return this.#goLive()
    const known = new Map<string, number>()
    for (const { feeds } of this.#accounts)
      for (const feed of feeds) {
        const { seq, events } = await feed.snapshot()
        for (const market of marketsOf(feed)) known.set(placeOf(feed.accountRef, market), seq)
        await this.#sendAll(events, (event) => this.#sendPart(base, event))
      }
    // Then the events that came during the snapshot. Those in it would be a step back.
    const isNew = ({ type, seq, accountRef, market }: StoredStreamEvent) =>
      seq > base && (!IN_SNAPSHOT.has(type) || seq > (known.get(placeOf(accountRef, market)) ?? 0))
    await this.#goLive(
      () => this.#sendOwn(`${this.#seq}`, 'snapshotEnd', {}),
      (event) => {
        if (isNew(event)) this.#sendPart(base, event)
      },
    )
  }

  /** Sends the held events, and from then on each event at once. */
  async #goLive(
    last = () => {},
    send: (event: StoredStreamEvent) => unknown = (event) => this.#sendStored(event),
  ): Promise<void> {
    while (this.#held !== undefined && this.#held.length > PAGE) {
      const some = this.#held.splice(0, PAGE)
      for (const event of some) send(event)
      await this.#sent()
    }
    const { lastSeq } = this.#deps.log
    for (const event of this.#held ?? []) send(event)
    this.#held = undefined
    if (this.#isEnded) return
    this.#seq = Math.max(this.#seq, lastSeq)
    last()
  }

  async #sendAll<Event>(events: readonly Event[], send: (event: Event) => void): Promise<void> {
    for (let from = 0; from < events.length; from += PAGE) {
      for (const event of events.slice(from, from + PAGE)) send(event)
      if (from + PAGE < events.length) await this.#sent()
    }
  }

  #receive(events: readonly StoredStreamEvent[]): void {
    if (this.#held !== undefined) this.#held.push(...events)
    else {
      const sent = events.filter((event) => this.#sendStored(event)).at(-1)
      if (sent !== undefined) this.#deps.onSent?.(sent)
    }
    this.check()
  }

  /** @returns whether the bot may see it and had not got it */
  #sendStored(event: StoredStreamEvent): boolean {
    if (event.seq <= this.#seq) return false
    this.#seq = event.seq
    return this.#sendSeen(`${event.seq}`, event)
  }

  /** An event that has no number, or must not be resumed after. */
  #sendPart(base: number, event: NewStreamEvent): void {
    this.#sendSeen(`${base}.${this.#next()}`, event)
  }

  #sendSeen(number: string, event: NewStreamEvent): boolean {
    const { clientRef, filter } = this.#request
    if (this.#isEnded || !canSee(event, { clientRef, filter, limits: this.limits })) return false
    const id = `${this.#epoch}-${number}`
    this.#sink.send(id, textOf(id, event, clientRef))
    return true
  }

  /** The present state of each feed. */
  #sendStates(number: () => string): void {
    const nowMs = this.#deps.time.now()
    for (const { exchange, feeds, accountRef = 0 } of this.#accounts) {
      const states = feeds.flatMap((feed) =>
        feed.markets.map((market) => ({ market, ...feed.state() })),
      )
      const reason = accountRef === 0 ? 'no keys' : this.#deps.whyNoFeed
      const unknown = { state: 'gap', sinceMs: nowMs, reason } as const
      const none = (['spot', 'futures'] as const).map((market) => ({ market, ...unknown }))
      for (const { market, state, sinceMs, reason } of states.length === 0 ? none : states) {
        const data: StreamState = { state, since: sinceMs, reason }
        this.#sendSeen(number(), {
          ...{ accountRef, exchange, market, type: 'state', ownerRef: null, symbol: null },
          ...{ timeMs: null, receivedAtMs: sinceMs, source: 'journal', key: null },
          data: JSON.stringify(data),
        })
      }
    }
  }

  #sendOwn(number: string, type: 'reset' | 'snapshotEnd', data: object): void {
    if (this.#isEnded) return
    const id = `${this.#epoch}-${number}`
    const receivedAt = this.#deps.time.now()
    this.#sink.send(id, JSON.stringify({ id, receivedAt, source: 'journal', type, data }))
  }

  #next(): number {
    this.#part += 1
    return this.#part
  }

  async #sent(): Promise<void> {
    this.#behindSinceMs = this.#deps.time.monotonic()
    await this.#sink.sent()
    this.#behindSinceMs = undefined
  }
}

const placeOf = (accountRef: number, market: StreamMarket) => `${accountRef} ${market}`

/** Another one for each client, and when its keys are of another account, or its kind is. */
function epochOf(clientRef: number, accounts: readonly Account[]): string {
  const names = accounts.map(
    ({ exchange, accountRef, feeds }) =>
      `${exchange} ${accountRef ?? ''} ${feeds.map((feed) => `${feed.feed} ${feed.accountRef}`)}`,
  )
  return hash('sha256', JSON.stringify([clientRef, ...names.sort()]), 'hex').slice(0, 12)
}
