import type { Account } from '../account.ts'
import { type ReceivedJson, readJson, writeJson, ZERO } from '../exact-numbers.ts'
import { decodedPairs, isList, isObject } from '../exchange-request.ts'
import { type Market, spotTick } from '../market.ts'
import { spotMarkets } from '../mexc/spot-views.ts'
import { depthAround } from '../prices.ts'
import type { Change } from '../venue.ts'
import type { SpotBalance } from '../wallets.ts'
import {
  accountMessage,
  bookTickerMessage,
  dealMessage,
  depthMessage,
  orderMessage,
  tradesMessage,
  wrapped,
} from './mexc-spot-frames.ts'
import {
  FrameLimit,
  type SessionParts,
  type StreamSession,
  type StreamSocket,
} from './stream-socket.ts'
import { BookWatch, coinPicture, eachSecond, Picture, type Topic } from './topic.ts'

const STREAMS_MAX = 30
/** By one library alone [?] (streams.md, 1). */
const FRAME_BYTES_MAX = 1_024
const UNSUBSCRIBED_MS = 30_000
const SILENCE_MS = 60_000
const LEVELS = 200
const PUBLIC_CHANNEL =
  /^spot@public\.aggre\.(depth|deals|bookTicker)\.v3\.api\.pb@(?:10|100)ms@(.+)$/u

/** A connection of MEXC spot; with a listen key also for what is of its account (streams.md, 2). */
export class MexcSpotSession implements StreamSession {
  readonly #socket: StreamSocket
  readonly #parts: SessionParts
  readonly #listenKey: string | undefined
  readonly #topics = new Map<string, Topic>()
  readonly #frames = new FrameLimit(100, 1_000)
  readonly #stopListening: () => void
  #heardAtMs: number

  constructor(socket: StreamSocket, parts: SessionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#heardAtMs = parts.venue.nowMs()
    this.#listenKey = new Map(decodedPairs(parts.query)).get('listenKey')
    this.#stopListening = parts.venue.changes.listen({
      changed: (change) => this.#changed(change),
      settled: () => this.#each(({ settled }) => settled?.()),
    })
    if (this.#listenKey !== undefined) this.#login(this.#listenKey)
  }

  channels(): readonly string[] {
    return [...this.#topics.keys()]
  }

  heard(text: string): void {
    const nowMs = this.#parts.venue.nowMs()
    this.#heardAtMs = nowMs
    if (!this.#frames.take(nowMs)) {
      this.#socket.close(1008)
      return
    }
    const frame = Buffer.byteLength(text) > FRAME_BYTES_MAX ? undefined : frameOf(text)
    const { method = '', params = null, id = '0' } = frame ?? {}
    const number = typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : 0
    const acknowledge = (msg: string) => this.#socket.reply(writeJson({ id: number, code: 0, msg }))
    const channels = isList(params) ? params.filter((one) => typeof one === 'string') : []
    switch (typeof method === 'string' ? method.toUpperCase() : '') {
      case 'PING':
        acknowledge('PONG')
        return
      case 'SUBSCRIPTION':
        acknowledge(channels.map((channel) => this.#subscribe(channel)).join(','))
        return
      case 'UNSUBSCRIPTION':
        for (const channel of channels) this.#topics.delete(channel)
        {
          acknowledge(channels.join(','))
          return
        }
      default:
        // The code of a frame that it cannot read is not known [?].
        this.#socket.reply(writeJson({ id: number, code: 1, msg: 'Invalid request' }))
        return
    }
  }

  beat(): void {
    const { venue } = this.#parts
    const { openedAtMs } = this.#socket
    const isIdle = this.#topics.size === 0 && venue.nowMs() - openedAtMs >= UNSUBSCRIBED_MS
    const isGone = this.#listenKey !== undefined && !venue.listenKeys.isValid(this.#listenKey)
    if (isIdle || isGone || venue.nowMs() - this.#heardAtMs >= SILENCE_MS) {
      this.#socket.close(1000)
      return
    }
    this.#each(({ beat }) => beat?.())
  }

  /** No notice of MEXC is known: the connection ends a minute later. */
  announceMaintenance(): void {}

  ended(): void {
    this.#stopListening()
    if (this.#listenKey !== undefined) this.#parts.venue.listenKeys.closed(this.#listenKey)
  }

  #login(listenKey: string): void {
    const { venue, faults } = this.#parts
    const account = venue.listenKeys.opened(listenKey)
    const facts = { stream: 'mexc-spot', account: account?.name ?? null, channel: '' } as const
    const fault = faults.takeForLogin(facts)?.kind
    if (account === null || fault === 'refuse-login') {
      // Bare text, by ccxt alone [?].
      this.#socket.reply('Invalid listen key')
      this.#socket.close(1000)
      return
    }
    this.#socket.account = account
    this.#socket.isDeaf = fault === 'wrong-family'
  }

  /** The name for the acknowledgement: a refusal is one too, with code 0 [?] (streams.md, 2). */
  #subscribe(channel: string): string {
    const known = this.#topics.get(channel)
    if (known !== undefined) return channel
    const topic = this.#topics.size >= STREAMS_MAX ? undefined : this.#topicOf(channel)
    if (topic === undefined)
      return ` Not Subscribed successfully! [${channel}].  Reason： Blocked! `
    this.#topics.set(channel, topic)
    topic.start?.()
    return channel
  }

  #topicOf(channel: string): Topic | undefined {
    const { account } = this.#socket
    if (account !== null) {
      if (channel === 'spot@private.orders.v3.api.pb') return this.#orders(channel, account)
      if (channel === 'spot@private.deals.v3.api.pb') return this.#deals(channel, account)
      if (channel === 'spot@private.account.v3.api.pb') return this.#coins(channel, account)
    }
    const [, kind, symbol] = PUBLIC_CHANNEL.exec(channel) ?? []
    const market = spotMarkets(this.#parts.venue).find(({ name }) => name === symbol)
    if (market === undefined) return undefined
    if (kind === 'depth') return this.#depth(channel, market)
    return kind === 'deals' ? this.#trades(channel, market) : this.#bookTicker(channel, market)
  }

  #orders(channel: string, account: Account): Topic {
    return {
      changed: (change) => {
        if (change.kind !== 'spot' || change.order.account !== account) return
        const { order, note } = change
        this.#push(channel, order.market.name, 'orders', orderMessage(order, note.trade))
      },
    }
  }

  #deals(channel: string, account: Account): Topic {
    return {
      changed: ({ kind, order, note }) => {
        if (kind === 'spot' && order.account === account && note.trade !== undefined)
          this.#push(channel, order.market.name, 'deals', dealMessage(note.trade))
      },
    }
  }

  /** A push for each coin that is another amount than before. */
  #coins(channel: string, account: Account): Topic {
    const picture = new Picture()
    picture.differences(coinPicture(account))
    const amounts = () => new Map(account.spot.list().map((one) => [one.coin, { ...one }]))
    let before = amounts()
    const send = (balance: Readonly<SpotBalance>) => {
      const last = before.get(balance.coin) ?? { free: ZERO, locked: ZERO }
      const isOrder = balance.free.plus(balance.locked).eq(last.free.plus(last.locked))
      const type = isOrder ? 'ENTRUST_PLACE' : 'ENTRUST'
      const atMs = this.#parts.venue.nowMs()
      this.#push(channel, undefined, 'account', accountMessage(balance, last, { type, atMs }))
    }
    return {
      settled: () => {
        const changed = picture.differences(coinPicture(account))
        for (const balance of account.spot.list()) if (changed.includes(balance.coin)) send(balance)
        before = amounts()
      },
    }
  }

  /** To the version of REST; also when nothing has changed, as a real market never rests. */
  #depth(channel: string, market: Market): Topic {
    const { venue } = this.#parts
    const eventType = channel.slice(0, channel.lastIndexOf('@'))
    const watch = new BookWatch(venue, market, { tick: tickOf(market), limit: LEVELS })
    watch.whole()
    return {
      beat: () => {
        const place = { eventType, version: venue.bookVersion.current }
        this.#push(channel, market.name, 'depth', depthMessage(watch.changesOrBest(), place))
      },
    }
  }

  #trades(channel: string, market: Market): Topic {
    const eventType = channel.slice(0, channel.lastIndexOf('@'))
    return {
      changed: ({ kind, order, note }) => {
        if (kind === 'spot' && order.market === market && note.trade !== undefined)
          this.#push(channel, market.name, 'trades', tradesMessage([note.trade], eventType))
      },
    }
  }

  #bookTicker(channel: string, market: Market): Topic {
    const { venue } = this.#parts
    const send = () => {
      const shape = { tick: tickOf(market), limit: 1 }
      const { bids, asks } = depthAround(venue.prices, market, shape)
      const [bid, ask] = [bids[0], asks[0]]
      if (bid === undefined || ask === undefined) return
      const message = bookTickerMessage({ bid, ask }, venue.bookVersion.current)
      this.#push(channel, market.name, 'bookTicker', message)
    }
    return eachSecond(venue, send, market)
  }

  #push(
    channel: string,
    symbol: string | undefined,
    body: Parameters<typeof wrapped>[1],
    message: Buffer,
  ): void {
    if (this.#socket.isDeaf && channel.startsWith('spot@private')) return
    const nowMs = this.#parts.venue.nowMs()
    const wrapper = { channel, symbol, createdAtMs: nowMs, sentAtMs: nowMs }
    this.#socket.push(channel, wrapped(wrapper, body, message))
  }

  #changed(change: Change): void {
    this.#each(({ changed }) => changed?.(change))
  }

  #each(tell: (topic: Topic) => void): void {
    for (const topic of this.#topics.values()) tell(topic)
  }
}

function tickOf(market: Market) {
  const rules = market.spot.mx
  if (rules === undefined) throw new Error(`${market.name} is not on MEXC spot`)
  return spotTick(rules)
}

/** Undefined when it is no JSON object. */
function frameOf(text: string): Readonly<Record<string, ReceivedJson>> | undefined {
  try {
    const value = readJson(text)
    return isObject(value) ? value : undefined
  } catch {
    // The caller says that the request is invalid: what arrived is no JSON.
    return undefined
  }
}
