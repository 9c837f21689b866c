import type { ExchangeCode } from 'schema'
import type { FeedName } from '../../exchanges/feed.ts'
import { rowsIn, withoutRows } from '../../exchanges/protocol/json-rows.ts'
import type { AccountFeed, FeedPush } from '../../streams/account-feed.ts'
import type { Feeds, Listening } from '../../streams/feeds.ts'
import { isWithin } from '../../streams/stream-event.ts'
import type { Time } from '../../time.ts'
import type { BotSocket, KnownCaller } from './bot-sockets.ts'
import { CLOSE_CODES } from './refusals.ts'

type Caller = KnownCaller['caller']

/** A subscription is confirmed after so long, also where the account's feed is not live yet. */
const LIVE_MS = 5_000

export interface AccountPushesParts {
  readonly feeds: Pick<Feeds, 'listen'>
  readonly time: Pick<Time, 'setTimeout'>
}

/**
 * What the feed of an account brings, for one bot. When the feed had a gap, the bot's connection
 * ends once the feed is live again: its SDK then connects anew and reads what it missed, as it does
 * at the exchange.
 */
export class AccountPushes {
  readonly #parts: AccountPushesParts
  readonly #socket: BotSocket
  readonly #exchange: ExchangeCode
  readonly #onPush: (push: FeedPush) => void
  readonly #stops: (() => void)[] = []
  /** The feeds whose subscriptions were confirmed to the bot. */
  readonly #subscribed = new Set<AccountFeed>()
  /** Feeds that had a gap since then. */
  readonly #interrupted = new Set<AccountFeed>()
  readonly #attached = new Set<AccountFeed>()
  #look = Promise.withResolvers<void>()
  #opened: Promise<void> | undefined
  #listening: Listening | undefined
  #isOver = false

  constructor(
    parts: AccountPushesParts,
    socket: BotSocket,
    exchange: ExchangeCode,
    onPush: (push: FeedPush) => void,
  ) {
    this.#parts = parts
    this.#socket = socket
    this.#exchange = exchange
    this.#onPush = onPush
  }

  /**
   * Opens the feed, and waits a while until it is live.
   * @returns undefined where the account has no such feed
   */
  async open(name: FeedName): Promise<AccountFeed | undefined> {
    this.#opened ??= this.#listen()
    await this.#opened
    const hasOthers = () => (this.#listening?.feeds.length ?? 0) > 0
    // None is there while the kind of the account has to be asked for.
    await this.#until(() => this.#listening?.accountRef === undefined || hasOthers() || undefined)
    const feed = this.#feedOf(name)
    if (feed === undefined) return undefined
    if (!this.#subscribed.has(feed))
      await this.#until(() => feed.state().state === 'live' || undefined)
    this.#subscribed.add(feed)
    if (feed.state().state !== 'live') this.#interrupted.add(feed)
    return feed
  }

  close(): void {
    this.#isOver = true
    for (const stop of this.#stops.splice(0)) stop()
    this.#listening?.release()
    this.#looked()
  }

  /** Why the account has no such feed, for the bot. */
  async whyNone(): Promise<string> {
    await this.#opened
    const { accountRef, feeds = [] } = this.#listening ?? {}
    if (accountRef === undefined)
      return 'EXCHANGE_KEYS_MISSING: no keys are stored for the exchange'
    if (feeds.length > 0) return 'The account is of the other kind: use the other version'
    return 'The account has no feed now: its kind is not known yet, or ACCOUNT_STREAMS is off'
  }

  #feedOf(name: FeedName): AccountFeed | undefined {
    return this.#listening?.feeds.find((each) => each.feed === name)
  }

  async #listen(): Promise<void> {
    const { caller } = this.#socket
    if (caller === undefined) throw new Error('Nobody has signed in')
    const listen = () => this.#parts.feeds.listen(caller.clientRef, this.#exchange, this.#changed)
    this.#listening = await listen()
    if (this.#isOver) this.#listening.release()
    else this.#changed()
  }

  /** The account has other feeds: its keys were replaced, or it is of the other kind now. */
  readonly #changed = (): void => {
    if (this.#listening === undefined || this.#isOver) return
    const { feeds } = this.#listening
    for (const feed of feeds) if (!this.#attached.has(feed)) this.#attach(feed)
    if ([...this.#subscribed].some((feed) => !feeds.includes(feed)))
      this.#socket.end(CLOSE_CODES.restart, 'The account has another feed')
    this.#looked()
  }

  #attach(feed: AccountFeed): void {
    this.#attached.add(feed)
    this.#stops.push(
      feed.onPush((push) => this.#onPush(push)),
      feed.onState(({ state }) => {
        if (state !== 'live') {
          if (this.#subscribed.has(feed)) this.#interrupted.add(feed)
        } else if (this.#interrupted.has(feed))
          this.#socket.end(CLOSE_CODES.restart, 'The feed had a gap')
        this.#looked()
      }),
    )
  }

  /** Waits until there is something, for 5 s at most. */
  async #until<T>(look: () => T | undefined): Promise<T | undefined> {
    let isLate = false
    const timer = this.#parts.time
      .setTimeout(() => {
        isLate = true
        this.#looked()
      }, LIVE_MS)
      .unref()
    let found = look()
    while (found === undefined && !isLate && !this.#isOver) {
      await this.#look.promise
      found = look()
    }
    timer.cancel()
    return found
  }

  #looked(): void {
    const { resolve } = this.#look
    this.#look = Promise.withResolvers<void>()
    resolve()
  }
}

/** What of a push a client may not see. */
interface Hidden {
  readonly isAll: boolean
  readonly orderIds: ReadonlySet<string>
  readonly symbols: ReadonlySet<string>
}

export function hiddenIn({ events, owners }: FeedPush, caller: Caller): Hidden {
  const { clientRef, limits } = caller
  const hidden = events.filter(({ market, data }, at) => {
    const ownerRef = owners[at]?.clientRef ?? clientRef
    const symbol = 'symbol' in data ? data.symbol : null
    return ownerRef !== clientRef || !isWithin(limits, market, symbol)
  })
  const orderIds = hidden.flatMap(({ data }) => ('orderId' in data ? [data.orderId] : []))
  const symbols = hidden.flatMap(({ type, data }) => (type === 'position' ? [data.symbol] : []))
  return {
    isAll: hidden.length > 0 && hidden.length === events.length,
    orderIds: new Set(orderIds),
    symbols: new Set(symbols),
  }
}

const NAMES = new Set(['orderId', 'instId', 'symbol', 'coin', 'marginCoin'])

/**
 * A push of Bitget without the rows that a bot may not see, or has not asked for; all else stays
 * byte for byte.
 * @param isWanted by the symbol of a row, or its coin
 * @returns undefined when nothing is left
 */
export function rowsFor(
  text: string,
  hidden: Hidden,
  isWanted: (symbol: string | undefined) => boolean,
): string | undefined {
  const { rows } = rowsIn(text, (name) => NAMES.has(name))
  // A row has lists of its own, of its fees for example.
  const whole = rows.filter(
    ({ start, end }) => !rows.some((other) => other.start < start && other.end > end),
  )
  const unwanted = whole.filter(({ fields }) => {
    const fieldOf = (...names: string[]) => fields.find(([name]) => names.includes(name))?.[1]
    const symbol = fieldOf('instId', 'symbol')
    const isHidden =
      hidden.orderIds.has(fieldOf('orderId') ?? '') || hidden.symbols.has(symbol ?? '')
    return isHidden || !isWanted(symbol ?? fieldOf('coin', 'marginCoin'))
  })
  if (unwanted.length === 0) return text
  return unwanted.length === whole.length ? undefined : withoutRows(text, unwanted)
}
