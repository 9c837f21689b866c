import type { ExchangeCode } from 'schema'
import type { FeedProtocol, ListenKeyProtocol } from '../exchanges/feed.ts'
import { ExchangeResponseUnclearError } from '../exchanges/protocol/errors.ts'
import type { RejectionClass } from '../exchanges/protocol/verdict.ts'
import { contextOf } from '../orders/lookup-round.ts'
import type { ClientStore } from '../store/client-store.ts'
import type { Time, Timer } from '../time.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { mayHaveBeenSent, type Upstream } from '../upstream/upstream.ts'
import type { Gate } from './dial-pace.ts'
import { FeedSocket, type SocketEnd, type SocketListener } from './feed-socket.ts'

/** One stored API key, whichever clients have it. */
export interface FeedAccount {
  readonly exchange: ExchangeCode
  /** The client with the lowest id that has the key: its keys sign in. */
  readonly lead: number
  /** The id of the row of the lead's keys, which changes when they are replaced. */
  readonly rowId: number
  /** As `accountRefOf` of the lead's keys. */
  readonly accountRef: number
  /** All clients that have the key, the lead too. */
  readonly clients: readonly number[]
  /** 0: orders of its clients may be open; 1: only somebody listens. The lowest goes first. */
  readonly rank: number
}

export interface AccountSocketDeps {
  readonly upstream: Pick<Upstream, 'send' | 'time'>
  readonly clock: Pick<ExchangeClock, 'nowMs' | 'markStale'>
  readonly keys: Pick<ClientKeys, 'open'>
  readonly clients: Pick<ClientStore, 'find'>
  readonly time: Time
  /** The origin of the WebSocket. */
  readonly origin: string
  readonly dials: Gate
}

/** The keys of the account are others now, or are gone: its feed has to end. */
export class KeysChangedError extends Error {
  constructor() {
    super('The keys of this feed were replaced or deleted')
    this.name = 'KeysChangedError'
  }
}

/** The exchange refused what comes before the login. */
export class RefusedBeforeDialError extends Error {
  readonly isKey: boolean

  constructor(message: string, isKey: boolean) {
    super(message)
    this.name = 'RefusedBeforeDialError'
    this.isKey = isKey
  }
}

const KEY_CLASSES: ReadonlySet<RejectionClass> = new Set([
  ...(['signature', 'key', 'ip', 'permission', 'region'] as const),
])

/** For calls that the gateway makes for a feed; an inactive client's keys serve the others too. */
export async function feedContext(
  { clients }: Pick<AccountSocketDeps, 'clients'>,
  { lead }: Pick<FeedAccount, 'lead'>,
): Promise<RequestContext> {
  const context = await contextOf(clients, lead, 'streams')
  if (context === undefined) throw new KeysChangedError()
  return context
}

/** Opens the sockets of one account, with what comes before the dial and after the end. */
export class AccountSockets {
  readonly #deps: AccountSocketDeps
  readonly #account: FeedAccount
  readonly #protocol: FeedProtocol
  readonly #listenKeys: ListenKeys | undefined

  constructor(deps: AccountSocketDeps, account: FeedAccount, protocol: FeedProtocol) {
    this.#deps = deps
    this.#account = account
    this.#protocol = protocol
    const { listenKeys } = protocol
    if (listenKeys !== undefined) this.#listenKeys = new ListenKeys(deps, account, listenKeys)
  }

  /**
   * @param signal ends the wait for the turn to dial; a socket that is open is not affected
   * @throws KeysChangedError, RefusedBeforeDialError, the errors of the keys and of the lane
   */
  async open(listener: SocketListener, signal: AbortSignal): Promise<FeedSocket> {
    const { keys, upstream, clock, time, origin, dials } = this.#deps
    const { exchange, lead, rowId } = this.#account
    const protocol = this.#protocol
    const { login } = protocol
    // Opened again when the login is sent: they are nowhere in between.
    const ownKeys = async () => {
      const opened = await keys.open(lead, exchange)
      if (opened.rowId !== rowId) throw new KeysChangedError()
      return opened.keys
    }
    await ownKeys()
    if (login !== undefined) await upstream.time.sync()
    const listenKey = await this.#listenKeys?.take()
    const leave = await dials.enter(this.#account.rank, signal).catch((error: unknown) => {
      this.#listenKeys?.leave(listenKey)
      throw error
    })
    let stopExtending = () => {}
    const socket = new FeedSocket({
      url: `${origin}${protocol.pathOf(listenKey)}`,
      protocol,
      login: login && (async () => login(await ownKeys(), clock.nowMs())),
      time,
      listener: {
        dialled: () => listener.dialled(),
        ready: (refused) => listener.ready(refused),
        push: (frame, raw) => listener.push(frame, raw),
        notSubscribed: (...refused) => listener.notSubscribed(...refused),
        unreadable: (why) => listener.unreadable(why),
        ending: (withinMs) => listener.ending(withinMs),
        ended: (end) => {
          leave()
          stopExtending()
          this.#listenKeys?.leave(listenKey)
          // Its time may be the reason; measuring it costs one call.
          if (end.reason === 'login refused') clock.markStale()
          listener.ended(end)
        },
      },
    })
    if (listenKey !== undefined && this.#listenKeys !== undefined)
      stopExtending = this.#listenKeys.extend(listenKey, () => void socket.lose(LISTEN_KEY_LOST))
    return socket
  }

  /** Waits until the listen keys of closed sockets are deleted. */
  async idle(): Promise<void> {
    await this.#listenKeys?.idle()
  }
}

const LISTEN_KEY_LOST: SocketEnd = {
  reason: 'disconnected',
  detail: 'its listen key could not be extended',
}
/** Of those that an exchange may not have got, the next try comes sooner. */
const EXTEND_AGAIN_MS = 5 * 60_000

/** MEXC spot's keys in the URL: made at each dial, extended, deleted at the end. */
class ListenKeys {
  readonly #deps: AccountSocketDeps
  readonly #account: FeedAccount
  readonly #protocol: ListenKeyProtocol
  /** How many sockets use each: an exchange may give the same one again. */
  readonly #used = new Map<string, number>()
  readonly #removing = new Set<Promise<void>>()

  constructor(deps: AccountSocketDeps, account: FeedAccount, protocol: ListenKeyProtocol) {
    this.#deps = deps
    this.#account = account
    this.#protocol = protocol
  }

  async take(): Promise<string> {
    const { upstream } = this.#deps
    const context = await feedContext(this.#deps, this.#account)
    const { verdict } = await upstream.send(context, this.#protocol.create(), {
      jobClass: 'account',
    })
    if (verdict.kind === 'rejected') {
      const { class: why, exchangeMessage } = verdict.rejection
      throw new RefusedBeforeDialError(exchangeMessage, KEY_CLASSES.has(why))
    }
    if (verdict.kind !== 'ok')
      throw new ExchangeResponseUnclearError('MEXC', 'it gave no listen key')
    const listenKey = this.#protocol.read(verdict.data)
    this.#used.set(listenKey, (this.#used.get(listenKey) ?? 0) + 1)
    return listenKey
  }

  /** A socket has ended. The last one's key is deleted, which nobody waits for. */
  leave(listenKey: string | undefined): void {
    if (listenKey === undefined) return
    const left = (this.#used.get(listenKey) ?? 1) - 1
    if (left > 0) {
      this.#used.set(listenKey, left)
      return
    }
    this.#used.delete(listenKey)
    const removing = this.#remove(listenKey).finally(() => this.#removing.delete(removing))
    this.#removing.add(removing)
  }

  /** Extends a key until the returned function is called. @param lost after two failures */
  extend(listenKey: string, lost: () => void): () => void {
    const { time } = this.#deps
    const { extendEveryMs } = this.#protocol
    let timer: Timer
    let failures = 0
    let isOver = false
    const extendLater = (ms: number) => {
      timer = time.setTimeout(() => void extend(), ms).unref()
    }
    const extend = async () => {
      const outcome = await this.#extend(listenKey)
      if (isOver) return
      if (outcome === 'extended') failures = 0
      if (outcome === 'failed') failures += 1
      if (failures >= 2) lost()
      else extendLater(outcome === 'extended' ? extendEveryMs : EXTEND_AGAIN_MS)
    }
    extendLater(extendEveryMs)
    return () => {
      isOver = true
      timer.cancel()
    }
  }

  async idle(): Promise<void> {
    await Promise.all(this.#removing)
  }

  async #remove(listenKey: string): Promise<void> {
    const { keys } = this.#deps
    const { exchange, lead, accountRef } = this.#account
    try {
      // Keys of another account cannot do it, and must not see this one's.
      if ((await keys.open(lead, exchange)).accountRef !== accountRef) return
      await this.#send(this.#protocol.remove(listenKey))
    } catch {
      // The key expires by itself within the hour, and nobody has it.
    }
  }

  /** `unsent`: the exchange did not get it, for example while it is stopped. */
  async #extend(listenKey: string): Promise<'extended' | 'failed' | 'unsent'> {
    try {
      const { verdict } = await this.#send(this.#protocol.extend(listenKey))
      return verdict.kind === 'ok' ? 'extended' : 'failed'
    } catch (error) {
      return mayHaveBeenSent(error) ? 'failed' : 'unsent'
    }
  }

  async #send(call: ReturnType<ListenKeyProtocol['create']>) {
    const context = await feedContext(this.#deps, this.#account)
    return this.#deps.upstream.send(context, call, { jobClass: 'account' })
  }
}
