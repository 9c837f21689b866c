import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AccountKind, EXCHANGES, type ExchangeCode } from 'schema'
import { eachExchange } from '../exchanges/exchange.ts'
import type { FeedName, FeedProtocol } from '../exchanges/feed.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { toError } from '../lane/errors.ts'
import type { WorkingOrder } from '../orders/working-order.ts'
import type { WorkingOrders } from '../orders/working-orders.ts'
import type { Time, Timer } from '../time.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import type { AccountFeed } from './account-feed.ts'
import type { FeedAccount } from './account-socket.ts'

/** An account's feeds stay for so long after the last reason for them. */
const KEPT_MS = 60_000
/** Reasons that end, and keys that another node saved, are seen by then. */
const LOOK_EVERY_MS = 10_000
/** An exchange that did not show the kind of an account is asked again. */
const KIND_EVERY_MS = 60_000

export interface FeedsDeps {
  /** ACCOUNT_STREAMS. */
  readonly isOn: boolean
  readonly keys: Pick<ClientKeys, 'othersWithKeyOf' | 'rowIdOf' | 'accountRefOf' | 'accountKindOf'>
  readonly workingOrders: Pick<WorkingOrders, 'clientsAt'>
  readonly events: Pick<Events, 'on' | 'emit'>
  readonly time: Pick<Time, 'monotonic' | 'setTimeout'>
  /** The feeds of an account; none while its kind has to be known and is not. */
  readonly protocolsOf: (exchange: ExchangeCode, kind: AccountKind | null) => FeedProtocol[]
  readonly createFeed: (account: FeedAccount, protocol: FeedProtocol) => AccountFeed
  /** Asks the exchange something that shows the kind of an account. */
  readonly learnKind: (account: FeedAccount) => Promise<void>
}

/** Somebody listens to what happens in the account of a client. */
export interface Listening {
  /**
   * As `accountRefOf` of the keys that the account's socket uses: of several clients with the same
   * key, those of the first. Undefined: the client has no keys there.
   */
  readonly accountRef: number | undefined
  /** None where ACCOUNT_STREAMS is off, or while the kind of the account is not known. */
  readonly feeds: readonly AccountFeed[]
  release(): void
}

interface Listener {
  readonly clientRef: number
  readonly exchange: ExchangeCode
  readonly onChanged: () => void
  /** What it knows: the account, and its feeds. */
  seen: readonly unknown[]
}

/** An account, as its keys say it now. */
interface Found extends Omit<FeedAccount, 'rank'> {
  readonly kind: AccountKind | null
}

class OpenAccount implements FeedAccount {
  readonly exchange: ExchangeCode
  readonly lead: number
  readonly rowId: number
  readonly accountRef: number
  clients: readonly number[]
  /** Orders of its clients may be open. */
  hasOrders = false
  readonly feeds = new Map<FeedName, AccountFeed>()
  /** Since when there has been no reason for it; undefined: there is one. */
  idleSinceMs: number | undefined
  kindAskedMs = Number.NEGATIVE_INFINITY

  constructor({ exchange, lead, rowId, accountRef, clients }: Found) {
    this.exchange = exchange
    this.lead = lead
    this.rowId = rowId
    this.accountRef = accountRef
    this.clients = clients
  }

  get rank(): number {
    return this.hasOrders ? 0 : 1
  }
}

/**
 * Which feeds are open: those of accounts in which orders of clients may be open, and of accounts
 * to which somebody listens. Only the owner of the exchanges has any.
 */
export class Feeds {
  readonly #deps: FeedsDeps
  readonly #listeners = new Set<Listener>()
  /** By each client that has the key. */
  readonly #accounts = eachExchange(() => new Map<number, OpenAccount>())
  readonly #turns = new Turns()
  /** Clients that place orders, whose turn has not come yet. */
  readonly #opening = new Set<string>()
  /** A look that has not begun yet. */
  readonly #looks = new Map<ExchangeCode, Promise<void>>()
  #timer: Timer | undefined
  #isRunning = false
  #isClosed = false

  constructor(deps: FeedsDeps) {
    this.#deps = deps
    const { events } = deps
    events.on('keysChanged', ({ exchange }) => void this.#look(exchange))
    events.on('accountKindLearnt', ({ exchange }) => void this.#look(exchange))
    events.on('keysAccepted', ({ exchange, clientRef }) => {
      const account = this.#accounts[exchange].get(clientRef)
      for (const feed of account?.feeds.values() ?? []) feed.dialSooner()
    })
    events.on('clientDeleted', () => void this.#lookAtAll())
  }

  /** Opens what is wanted. Call it when this process is the owner of the exchanges. */
  async start(): Promise<void> {
    this.#isRunning = this.#deps.isOn
    this.#lookLater()
    await this.#lookAtAll()
  }

  /**
   * Opens the feeds of a client's account, and keeps them until `release`.
   * @param onChanged called when `accountRef` or `feeds` are others
   */
  async listen(
    clientRef: number,
    exchange: ExchangeCode,
    onChanged: () => void = () => {},
  ): Promise<Listening> {
    const listener: Listener = { clientRef, exchange, onChanged, seen: [] }
    const accountNow = () => this.#accounts[exchange].get(clientRef)
    this.#listeners.add(listener)
    await this.#inTurn(exchange, () => this.#open(exchange, clientRef))
    listener.seen = seenIn(accountNow())
    return {
      get accountRef() {
        return accountNow()?.accountRef
      },
      get feeds() {
        return [...(accountNow()?.feeds.values() ?? [])]
      },
      // A look finds that there is no reason any more.
      release: () => void this.#listeners.delete(listener),
    }
  }

  /** Every open feed. */
  list(): readonly AccountFeed[] {
    return EXCHANGES.flatMap((exchange) =>
      this.#accountsOf(exchange).flatMap(({ feeds }) => [...feeds.values()]),
    )
  }

  /** How many listen to the account of a feed. */
  listenersOf({ exchange, account }: AccountFeed): number {
    const isOf = (one: Listener) =>
      one.exchange === exchange && account.clients.includes(one.clientRef)
    return [...this.#listeners].filter(isOf).length
  }

  /** A client is about to place orders. */
  sending(clientRef: number, exchange: ExchangeCode): void {
    if (!this.#isRunning || this.#accounts[exchange].get(clientRef)?.hasOrders === true) return
    const name = `${exchange} ${clientRef}`
    if (this.#opening.has(name)) return
    this.#opening.add(name)
    void this.#inTurn(exchange, async () => {
      this.#opening.delete(name)
      const account = await this.#open(exchange, clientRef)
      if (account !== undefined) account.hasOrders = true
    })
  }

  /** The exchange has taken an order: its feed has to show it soon. */
  placed({ clientRef, exchange, key, orderId, clientOrderId }: WorkingOrder): void {
    if (key.action === 'cancel' || key.plan !== undefined || key.demo === true) return
    const names = { orderId: orderId ?? undefined, clientOrderId: clientOrderId ?? undefined }
    for (const feed of this.#accounts[exchange].get(clientRef)?.feeds.values() ?? [])
      if (isOfFeed(key, feed.protocol)) feed.expect(names)
  }

  /**
   * Closes all sockets.
   * @param waitMs for what the exchanges get after that
   */
  async close(waitMs: number): Promise<void> {
    this.#isClosed = true
    this.#isRunning = false
    this.#timer?.cancel()
    for (const exchange of EXCHANGES) (await this.#turns.take(exchange))()
    const feeds = this.list()
    for (const exchange of EXCHANGES) this.#accounts[exchange].clear()
    await Promise.all(feeds.map((feed) => feed.close()))
    const { promise: isLate, resolve } = Promise.withResolvers<void>()
    const timer = this.#deps.time.setTimeout(resolve, waitMs).unref()
    await Promise.race([Promise.all(feeds.map((feed) => feed.idle())), isLate])
    timer.cancel()
  }

  #accountsOf(exchange: ExchangeCode): OpenAccount[] {
    return [...new Set(this.#accounts[exchange].values())]
  }

  #lookLater(): void {
    this.#timer = this.#deps.time
      .setTimeout(() => {
        void this.#lookAtAll()
        this.#lookLater()
      }, LOOK_EVERY_MS)
      .unref()
  }

  async #lookAtAll(): Promise<void> {
    await Promise.all(EXCHANGES.map((exchange) => this.#look(exchange)))
  }

  /** Opens and closes feeds as needed. Calls during a run share the next run. */
  #look(exchange: ExchangeCode): Promise<void> {
    const known = this.#looks.get(exchange)
    if (known !== undefined) return known
    const look = this.#inTurn(exchange, () => {
      this.#looks.delete(exchange)
      return this.#lookNow(exchange)
    })
    this.#looks.set(exchange, look)
    return look
  }

  /** One change of the feeds of an exchange at a time; what fails is tried again by a look. */
  async #inTurn(exchange: ExchangeCode, change: () => Promise<unknown>): Promise<void> {
    const endTurn = await this.#turns.take(exchange)
    try {
      if (!this.#isClosed) await change()
    } catch (error) {
      this.#deps.events.emit('streamsNotSettled', { exchange, error: toError(error) })
    } finally {
      endTurn()
    }
  }

  async #lookNow(exchange: ExchangeCode): Promise<void> {
    const { time, workingOrders } = this.#deps
    const withOrders = new Set(this.#isRunning ? workingOrders.clientsAt(exchange) : [])
    const listeners = [...this.#listeners].filter((each) => each.exchange === exchange)
    const seen = new Set<number>()
    const wanted = new Set<OpenAccount>()
    // First those whose orders may be open.
    for (const clientRef of [...withOrders, ...listeners.map((each) => each.clientRef)]) {
      if (seen.has(clientRef)) continue
      const account = await this.#open(exchange, clientRef)
      for (const client of account?.clients ?? [clientRef]) seen.add(client)
      if (account === undefined) continue
      wanted.add(account)
      account.hasOrders = account.clients.some((client) => withOrders.has(client))
      await nextTurn()
    }
    for (const account of this.#accountsOf(exchange)) {
      if (wanted.has(account)) continue
      account.hasOrders = false
      account.idleSinceMs ??= time.monotonic()
      const found = await this.#find(exchange, account.lead)
      const isSame = found !== undefined && nameOf(found) === nameOf(account)
      if (!isSame || time.monotonic() - account.idleSinceMs >= KEPT_MS) await this.#close(account)
    }
    for (const listener of listeners) {
      const now = seenIn(this.#accounts[exchange].get(listener.clientRef))
      const { seen: before } = listener
      const isOther = now.length !== before.length || now.some((each, at) => each !== before[at])
      listener.seen = now
      if (isOther && this.#listeners.has(listener)) listener.onChanged()
    }
  }

  /** Opens the account of a client, unless it is open. @returns undefined: it has no keys */
  async #open(exchange: ExchangeCode, clientRef: number): Promise<OpenAccount | undefined> {
    const accounts = this.#accounts[exchange]
    const found = await this.#find(exchange, clientRef)
    const clients = found?.clients ?? [clientRef]
    const before = new Set(clients.flatMap((client) => accounts.get(client) ?? []))
    const same = [...before].find((one) => found !== undefined && nameOf(one) === nameOf(found))
    // Old sockets are closed before new ones open.
    for (const other of before) if (other !== same) await this.#close(other)
    if (found === undefined) return undefined
    const account = same ?? new OpenAccount(found)
    for (const client of account.clients) accounts.delete(client)
    account.clients = clients
    for (const client of clients) accounts.set(client, account)
    account.idleSinceMs = undefined
    if (this.#isRunning) await this.#openFeeds(account, found.kind)
    return account
  }

  async #close(account: OpenAccount): Promise<void> {
    const accounts = this.#accounts[account.exchange]
    for (const client of account.clients)
      if (accounts.get(client) === account) accounts.delete(client)
    await Promise.all([...account.feeds.values()].map((feed) => feed.close()))
    // Its listeners have to know.
    void this.#look(account.exchange)
  }

  /** The account of a client, and all others that have the same key. */
  async #find(exchange: ExchangeCode, clientRef: number): Promise<Found | undefined> {
    const { keys } = this.#deps
    try {
      const rowId = await keys.rowIdOf(clientRef, exchange)
      const others = await keys.othersWithKeyOf(clientRef, exchange)
      const clients = [clientRef, ...others].toSorted((a, b) => a - b)
      const lead = clients[0] ?? clientRef
      return {
        ...{ exchange, lead, clients },
        rowId: lead === clientRef ? rowId : await keys.rowIdOf(lead, exchange),
        accountRef: await keys.accountRefOf(lead, exchange),
        kind: await keys.accountKindOf(lead, exchange),
      }
    } catch (error) {
      if (error instanceof ExchangeKeysMissingError) return undefined
      throw error
    }
  }

  async #openFeeds(account: OpenAccount, kind: AccountKind | null): Promise<void> {
    const { protocolsOf, createFeed, learnKind, time, events } = this.#deps
    const { exchange, feeds } = account
    const protocols = protocolsOf(exchange, kind)
    for (const [name, feed] of feeds) {
      if (protocols.some((protocol) => protocol.name === name)) continue
      feeds.delete(name)
      await feed.close()
    }
    for (const protocol of protocols) {
      if (feeds.has(protocol.name)) continue
      const feed = createFeed(account, protocol)
      feed.onKeysChanged = () => void this.#look(exchange)
      feeds.set(protocol.name, feed)
      void feed.start()
    }
    const nowMs = time.monotonic()
    if (protocols.length > 0 || nowMs - account.kindAskedMs < KIND_EVERY_MS) return
    account.kindAskedMs = nowMs
    learnKind(account).catch((error: unknown) =>
      events.emit('streamsNotSettled', { exchange, error: toError(error) }),
    )
  }
}

function nameOf({ lead, rowId }: Pick<Found, 'lead' | 'rowId'>): string {
  return `${lead} ${rowId}`
}

/** Changes when a listener has to begin anew: a feed that was closed and opened is another one. */
function seenIn(account: OpenAccount | undefined): readonly unknown[] {
  return account === undefined ? [] : [account.accountRef, ...account.feeds.values()]
}

/** Whether the feed shows an order. */
function isOfFeed(key: OrderKey, { family, name }: FeedProtocol): boolean {
  if (key.family !== family) return false
  return family !== 'bitget' || (name === 'bitget-unified') === (key.isUnified === true)
}
