import { type AccountKind, EXCHANGES, type ExchangeCode } from 'schema'
import { eachExchange } from '../exchanges/each-exchange.ts'
import type { FeedName, FeedProtocol } from '../exchanges/feed.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { toError } from '../lane/errors.ts'
import type { WorkingOrder } from '../orders/working-order.ts'
import type { WorkingOrders } from '../orders/working-orders.ts'
import type { Time, Timer } from '../time.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { Events } from '../upstream/events.ts'
import type { AccountFeed } from './account-feed.ts'
import type { FeedAccount } from './account-socket.ts'

/** An account's feeds stay for so long after the last reason for them. */
const KEPT_MS = 60_000
/** Reasons that end, and keys that another node saved, are seen by then. */
const LOOK_EVERY_MS = 15_000
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
  account: OpenAccount | undefined
}

interface Running {
  run: Promise<void> | undefined
  /** Something has changed since the run looked. */
  isAgain: boolean
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
 * Which feeds are open: those of accounts in which orders of clients may be open, and of accounts to
 * which somebody listens. Only the owner of the exchanges has any.
 */
export class Feeds {
  readonly #deps: FeedsDeps
  readonly #listeners = new Set<Listener>()
  /** By the lead and the id of its keys. */
  readonly #accounts = eachExchange(() => new Map<string, OpenAccount>())
  /** The clients that were seen to have orders. */
  readonly #withOrders = eachExchange(() => new Set<number>())
  readonly #running = eachExchange((): Running => ({ run: undefined, isAgain: false }))
  #timer: Timer | undefined
  #hasStarted = false
  #isClosed = false

  constructor(deps: FeedsDeps) {
    this.#deps = deps
    const { events } = deps
    events.on('keysChanged', ({ exchange }) => void this.#settle(exchange))
    events.on('accountKindLearnt', ({ exchange }) => void this.#settle(exchange))
    events.on('clientDeleted', () => void this.#settleAll())
  }

  /** Opens what is wanted. Call it when this process is the owner of the exchanges. */
  async start(): Promise<void> {
    this.#hasStarted = true
    this.#lookLater()
    await this.#settleAll()
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
    const listener: Listener = { clientRef, exchange, onChanged, account: undefined }
    this.#listeners.add(listener)
    await this.#settle(exchange)
    return {
      get accountRef() {
        return listener.account?.accountRef
      },
      get feeds() {
        return [...(listener.account?.feeds.values() ?? [])]
      },
      release: () => {
        if (this.#listeners.delete(listener)) void this.#settle(exchange)
      },
    }
  }

  /** Every open feed. */
  list(): readonly AccountFeed[] {
    return EXCHANGES.flatMap((exchange) =>
      [...this.#accounts[exchange].values()].flatMap(({ feeds }) => [...feeds.values()]),
    )
  }

  /** How many listen to the account of a feed. */
  listenersOf({ exchange, accountRef }: AccountFeed): number {
    const isOf = ({ account }: Listener) =>
      account?.exchange === exchange && account.accountRef === accountRef
    return [...this.#listeners].filter(isOf).length
  }

  /** A client is about to place orders. */
  sending(clientRef: number, exchange: ExchangeCode): void {
    if (!this.#hasStarted || this.#withOrders[exchange].has(clientRef)) return
    this.#withOrders[exchange].add(clientRef)
    void this.#settle(exchange)
  }

  /** The exchange has taken an order: its feed has to show it soon. */
  placed({ clientRef, exchange, key, orderId, clientOrderId }: WorkingOrder): void {
    if (key.action === 'cancel' || key.plan !== undefined || key.demo === true) return
    for (const { clients, feeds } of this.#accounts[exchange].values()) {
      if (!clients.includes(clientRef)) continue
      for (const feed of feeds.values())
        if (isOfFeed(key, feed.protocol))
          feed.expect({
            orderId: orderId ?? undefined,
            clientOrderId: clientOrderId ?? undefined,
          })
    }
  }

  /**
   * Closes all sockets.
   * @param waitMs for what the exchanges get after that
   */
  async close(waitMs: number): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await Promise.all(EXCHANGES.map((exchange) => this.#running[exchange].run))
    const feeds = this.list()
    for (const exchange of EXCHANGES) this.#accounts[exchange].clear()
    await Promise.all(feeds.map((feed) => feed.close()))
    const { promise: isLate, resolve } = Promise.withResolvers<void>()
    const timer = this.#deps.time.setTimeout(resolve, waitMs).unref()
    await Promise.race([Promise.all(feeds.map((feed) => feed.idle())), isLate])
    timer.cancel()
  }

  async #settleAll(): Promise<void> {
    await Promise.all(EXCHANGES.map((exchange) => this.#settle(exchange)))
  }

  #lookLater(): void {
    this.#timer = this.#deps.time
      .setTimeout(() => {
        void this.#settleAll()
        this.#lookLater()
      }, LOOK_EVERY_MS)
      .unref()
  }

  /** Makes the feeds of an exchange those that are wanted; never twice at a time. */
  async #settle(exchange: ExchangeCode): Promise<void> {
    const running = this.#running[exchange]
    running.isAgain = true
    running.run ??= this.#settleAgain(exchange)
    await running.run
  }

  async #settleAgain(exchange: ExchangeCode): Promise<void> {
    const running = this.#running[exchange]
    while (running.isAgain && !this.#isClosed) {
      running.isAgain = false
      await this.#settleOnce(exchange).catch((error: unknown) =>
        this.#deps.events.emit('streamsNotSettled', { exchange, error: toError(error) }),
      )
    }
    running.run = undefined
  }

  async #settleOnce(exchange: ExchangeCode): Promise<void> {
    const listeners = [...this.#listeners].filter((each) => each.exchange === exchange)
    const withOrders = new Set(this.#deps.workingOrders.clientsAt(exchange))
    this.#withOrders[exchange].clear()
    for (const clientRef of withOrders) this.#withOrders[exchange].add(clientRef)
    const found = new Map<number, Found>()
    for (const clientRef of [...withOrders, ...listeners.map((each) => each.clientRef)])
      if (!found.has(clientRef)) await this.#find(exchange, clientRef, found)
    const isOn = this.#hasStarted && this.#deps.isOn
    const before = new Map(listeners.map((each) => [each, signatureOf(each.account)]))
    await this.#closeUnwanted(
      exchange,
      new Map([...found.values()].map((one) => [nameOf(one), one])),
    )
    // First those whose orders may be open.
    for (const [clientRef, one] of found) {
      const account = this.#accountOf(one)
      account.clients = one.clients
      account.hasOrders = one.clients.some((client) => withOrders.has(client))
      if (isOn) await this.#openFeeds(account, one.kind)
      for (const each of listeners) if (each.clientRef === clientRef) each.account = account
    }
    for (const each of listeners) {
      if (!found.has(each.clientRef)) each.account = undefined
      if (signatureOf(each.account) !== before.get(each)) each.onChanged()
    }
  }

  /** Finds the account of a client, and with it that of all others that have the same key. */
  async #find(exchange: ExchangeCode, clientRef: number, found: Map<number, Found>): Promise<void> {
    const { keys } = this.#deps
    try {
      const others = await keys.othersWithKeyOf(clientRef, exchange)
      const clients = [clientRef, ...others].toSorted((a, b) => a - b)
      const lead = clients[0] ?? clientRef
      const one = {
        ...{ exchange, lead, clients },
        rowId: await keys.rowIdOf(lead, exchange),
        accountRef: await keys.accountRefOf(lead, exchange),
        kind: await keys.accountKindOf(lead, exchange),
      }
      for (const client of clients) found.set(client, one)
    } catch (error) {
      if (!(error instanceof ExchangeKeysMissingError)) throw error
    }
  }

  #accountOf(found: Found): OpenAccount {
    const accounts = this.#accounts[found.exchange]
    const account = accounts.get(nameOf(found)) ?? new OpenAccount(found)
    accounts.set(nameOf(found), account)
    return account
  }

  /** Old sockets are closed before new ones open: keys that were replaced come first. */
  async #closeUnwanted(exchange: ExchangeCode, wanted: ReadonlyMap<string, Found>): Promise<void> {
    const { time } = this.#deps
    for (const [name, account] of this.#accounts[exchange]) {
      if (wanted.has(name)) {
        account.idleSinceMs = undefined
        continue
      }
      const now = new Map<number, Found>()
      await this.#find(exchange, account.lead, now)
      const current = now.get(account.lead)
      const isSame = current !== undefined && nameOf(current) === name
      account.idleSinceMs ??= time.monotonic()
      if (isSame && time.monotonic() - account.idleSinceMs < KEPT_MS) continue
      this.#accounts[exchange].delete(name)
      await Promise.all([...account.feeds.values()].map((feed) => feed.close()))
    }
  }

  async #openFeeds(account: OpenAccount, kind: AccountKind | null): Promise<void> {
    const { protocolsOf, createFeed, learnKind, time, events } = this.#deps
    const protocols = protocolsOf(account.exchange, kind)
    for (const [name, feed] of account.feeds) {
      if (protocols.some((protocol) => protocol.name === name)) continue
      account.feeds.delete(name)
      await feed.close()
    }
    for (const protocol of protocols) {
      if (account.feeds.has(protocol.name)) continue
      const feed = createFeed(account, protocol)
      feed.onKeysChanged = () => void this.#settle(account.exchange)
      account.feeds.set(protocol.name, feed)
      void feed.start()
    }
    const nowMs = time.monotonic()
    if (protocols.length > 0 || nowMs - account.kindAskedMs < KIND_EVERY_MS) return
    account.kindAskedMs = nowMs
    const { exchange } = account
    learnKind(account).catch((error: unknown) =>
      events.emit('streamsNotSettled', { exchange, error: toError(error) }),
    )
  }
}

function nameOf({ lead, rowId }: Pick<Found, 'lead' | 'rowId'>): string {
  return `${lead} ${rowId}`
}

/** Changes when a listener has to begin anew. */
function signatureOf(account: OpenAccount | undefined): string {
  return account === undefined ? '' : [account.accountRef, ...account.feeds.keys()].join(' ')
}

/** Whether the feed shows an order. */
function isOfFeed(key: OrderKey, { family, name }: FeedProtocol): boolean {
  if (key.family !== family) return false
  return family !== 'bitget' || (name === 'bitget-unified') === (key.isUnified === true)
}
