import type { FastifyRequest } from 'fastify'
import { parseLossless } from '../../exchanges/protocol/lossless.ts'
import { isRecord, textOf } from '../../exchanges/protocol/untrusted.ts'
import { exactAddress } from '../../http/request-origin.ts'
import type { FeedPush } from '../../streams/account-feed.ts'
import type { ListenKeys } from '../../streams/listen-keys.ts'
import type { PublicFeeds } from '../../streams/public-feeds.ts'
import {
  mexcFuturesTextOf,
  mexcFuturesTopic,
  mexcSpotTopic,
} from '../../streams/public-protocols.ts'
import { AccountPushes, type AccountPushesParts, hiddenIn } from './account-pushes.ts'
import {
  type BotSession,
  type BotSocket,
  type KnownCaller,
  type Replies,
  type Reply,
  type SocketCallers,
  SUBSCRIPTIONS_MAX,
} from './bot-sockets.ts'
import {
  CLOSE_CODES,
  ClientOffError,
  ListenKeyInvalidError,
  looksLikeToken,
  type Refusal,
} from './refusals.ts'

export interface MexcSocketsParts extends AccountPushesParts {
  readonly callers: SocketCallers
  readonly publicFeeds: Pick<PublicFeeds, 'subscribe'>
  readonly listenKeys: ListenKeys
  readonly nowMs: () => number
}

type Frame = Readonly<Record<string, unknown>>

const frameOf = (text: string): Frame | undefined => {
  const value = parseLossless(text)?.value
  return isRecord(value) ? value : undefined
}

/** A listen key in the address of a socket. */
const listenKeyOf = ({ url }: FastifyRequest): string | undefined =>
  new URLSearchParams(url.split('?', 2)[1] ?? '').get('listenKey') ?? undefined

/** Who dials MEXC spot: by the key in the address, or else as at the other addresses. */
export async function spotCallerOf(
  request: FastifyRequest,
  { callers, listenKeys }: MexcSocketsParts,
): Promise<KnownCaller | undefined> {
  const key = listenKeyOf(request)
  if (key === undefined) return callers.ofRequest(request)
  const look = async (isCall: boolean) => {
    const found = await listenKeys.find(key)
    if (found === undefined) throw new ListenKeyInvalidError()
    const { clientRef, clientId, active, permissions, limits } = found
    if (!active) throw new ClientOffError()
    const caller = { kind: 'client', clientRef, clientId, permissions, limits } as const
    return callers.mayCall(request, caller, isCall)
  }
  return {
    caller: await look(true),
    endsAtMs: null,
    credential: `listen key ${key} ${exactAddress(request)}`,
    again: () => look(false),
  }
}

const PRIVATE_SPOT = 'spot@private.'
const SPOT_PRIVATE_CHANNELS: ReadonlySet<string> = new Set([
  'spot@private.orders.v3.api.pb',
  'spot@private.deals.v3.api.pb',
  'spot@private.account.v3.api.pb',
])
const SPOT_PUBLIC = /^spot@public\.[\w.]{1,40}\.v3\.api\.pb(?:@[\p{L}\p{N}_.+:-]{1,40}){0,3}$/u

const permissionOf = (channel: string) => (channel.startsWith(PRIVATE_SPOT) ? 'account' : 'market')

/** The exchange's own words, with a full-width colon (docs/exchanges/streams.md, 2). */
const notSubscribed = (channel: string, why: string) =>
  `Not Subscribed successfully! [${channel}].  Reason： ${why} `

/** A bot on MEXC's address for spot. Pushes are the exchange's protobuf, all else is JSON. */
export class MexcSpotSession implements BotSession {
  readonly #socket: BotSocket
  readonly #parts: MexcSocketsParts
  readonly #account: AccountPushes
  /** Private channels have nothing to stop: they end with the socket. */
  readonly #channels = new Map<string, { stop: () => void; isConfirmed: boolean }>()

  constructor(socket: BotSocket, parts: MexcSocketsParts) {
    this.#socket = socket
    this.#parts = parts
    this.#account = new AccountPushes(parts, socket, 'mx', (push) => this.#pushed(push))
  }

  pong(text: string): string | undefined {
    return /^\s*\{\s*"method"\s*:\s*"ping"\s*\}\s*$/i.test(text)
      ? acknowledgement(0, 'PONG')
      : undefined
  }

  receive(text: string): Replies {
    const { method, params, id } = frameOf(text) ?? {}
    const number = typeof id === 'number' ? id : 0
    const asked = Array.isArray(params) ? params : []
    const channels = asked.filter((each): each is string => typeof each === 'string')
    switch (textOf(method)?.toUpperCase()) {
      case 'PING':
        return [acknowledgement(number, 'PONG')]
      case 'SUBSCRIPTION':
        Promise.all(channels.map((channel) => this.#subscribe(channel))).then(
          (words) => this.#socket.send(acknowledgement(number, words.join())),
          (error: unknown) => this.#socket.refuse(error),
        )
        return []
      case 'UNSUBSCRIPTION':
        for (const channel of channels) this.#unsubscribe(channel)
        return [acknowledgement(number, channels.join())]
      default:
        return [JSON.stringify({ id: number, code: 1, msg: 'Invalid request' })]
    }
  }

  refusalText({ code, message }: Refusal): string {
    // The bare text is what makes an SDK ask for another key (by one SDK).
    if (listenKeyOf(this.#socket.request) !== undefined && code === 'LISTEN_KEY_INVALID')
      return 'Invalid listen key'
    return JSON.stringify({ id: 0, code: 1, msg: notSubscribed(code, message) })
  }

  callerChanged(): void {
    const needed = [...this.#channels.keys()].map(permissionOf)
    if (!needed.every((permission) => this.#socket.may(permission)))
      this.#socket.end(CLOSE_CODES.clientOff, 'SCOPE_INSUFFICIENT')
  }

  ended(): void {
    this.#account.close()
    for (const { stop } of this.#channels.values()) stop()
    this.#channels.clear()
  }

  /** @returns what the acknowledgement says of it */
  async #subscribe(channel: string): Promise<string> {
    if (this.#channels.has(channel)) return channel
    const isPrivate = channel.startsWith(PRIVATE_SPOT)
    const isKnown = isPrivate ? SPOT_PRIVATE_CHANNELS.has(channel) : SPOT_PUBLIC.test(channel)
    if (!isKnown) return notSubscribed(channel.slice(0, 80), 'Blocked!')
    if (!this.#socket.may(permissionOf(channel)))
      return notSubscribed(channel, 'this needs a token with the permission')
    if (this.#channels.size >= SUBSCRIPTIONS_MAX)
      return notSubscribed(channel, `at most ${SUBSCRIPTIONS_MAX} channels`)
    const made = { stop: () => {}, isConfirmed: false }
    this.#channels.set(channel, made)
    if (!isPrivate) return this.#subscribePublic(channel, made)
    const feed = await this.#account.open('mexc-spot')
    made.isConfirmed = feed !== undefined
    if (made.isConfirmed) return channel
    this.#channels.delete(channel)
    return notSubscribed(channel, await this.#account.whyNone())
  }

  #subscribePublic(channel: string, made: { stop: () => void }): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    made.stop = this.#parts.publicFeeds.subscribe(mexcSpotTopic(channel), {
      clientRef: this.#socket.caller?.clientRef,
      accepted: () => resolve(channel),
      refused: (message) => {
        this.#channels.delete(channel)
        resolve(message.includes(channel) ? message : notSubscribed(channel, message))
      },
      push: (raw) => this.#socket.send(raw),
      interrupted: () => this.#socket.end(CLOSE_CODES.restart, 'The channel had a gap'),
    })
    return promise
  }

  #unsubscribe(channel: string): void {
    this.#channels.get(channel)?.stop()
    this.#channels.delete(channel)
  }

  /** One order, fill or coin a frame. */
  #pushed(push: FeedPush): void {
    const { caller } = this.#socket
    if (caller === undefined || push.feed !== 'mexc-spot') return
    if (this.#channels.get(push.channel)?.isConfirmed !== true) return
    const { isAll, orderIds } = hiddenIn(push, caller)
    if (!isAll && orderIds.size === 0) this.#socket.send(push.raw)
  }
}

const acknowledgement = (id: number, msg: string) => JSON.stringify({ id, code: 0, msg })

/** What a filter of MEXC futures can name; all but the last two take symbols. */
const FILTERS: ReadonlySet<string> = new Set([
  ...['order', 'order.deal', 'position', 'plan.order', 'stop.order', 'stop.planorder'],
  ...['risk.limit', 'adl.level', 'asset'],
])
const WITHOUT_SYMBOLS: ReadonlySet<string> = new Set(['adl.level', 'asset'])
const FUTURES_PUBLIC: ReadonlySet<string> = new Set([
  ...['ticker', 'tickers', 'deal', 'depth', 'depth.full', 'depth.step', 'kline'],
  ...['funding.rate', 'index.price', 'fair.price', 'contract', 'event.contract'],
])
const PARAM_NAMES = ['symbol', 'compress', 'interval', 'limit', 'step', 'timezone'] as const
const PARAM_TEXT = /^[\p{L}\p{N}_.:+-]{1,40}$/u
const PUSH = 'push.personal.'
/** The customer on the other side: not for a bot (docs/exchanges/streams.md, 3). */
const OPPONENT =
  /"opponentUid"\s*:\s*(?:"[^"]*"|[^\s,}\]]+)\s*,|,\s*"opponentUid"\s*:\s*(?:"[^"]*"|[^\s,}\]]+)/gi

type Filter = ReadonlyMap<string, ReadonlySet<string>>

/** A bot on MEXC's address for futures, for what is public and what is of its account. */
export class MexcFuturesSession implements BotSession {
  readonly #socket: BotSocket
  readonly #parts: MexcSocketsParts
  readonly #account: AccountPushes
  readonly #topics = new Map<string, { readonly name: string; symbol: string; stop: () => void }>()
  /** Null: everything; empty: nothing private, as after a login with `subscribe: false`. */
  #filter: Filter | null = new Map()

  constructor(socket: BotSocket, parts: MexcSocketsParts) {
    this.#socket = socket
    this.#parts = parts
    this.#account = new AccountPushes(parts, socket, 'mx', (push) => this.#pushed(push))
  }

  pong(text: string): string | undefined {
    if (!/^\s*\{\s*"method"\s*:\s*"ping"\s*\}\s*$/i.test(text)) return undefined
    return JSON.stringify({ channel: 'pong', data: this.#parts.nowMs() })
  }

  async receive(text: string): Promise<Replies> {
    const frame = frameOf(text)
    const method = textOf(frame?.method)
    if (frame === undefined || method === undefined) return [this.#error('Illegal request')]
    const param = isRecord(frame.param) ? frame.param : {}
    if (method.toLowerCase() === 'ping') return [this.#frame('pong', this.#parts.nowMs())]
    if (method === 'login') return [await this.#login(param, frame.subscribe === false)]
    if (method === 'personal.filter') return [await this.#setFilter(param)]
    const [verb, name] = [method.split('.', 1)[0], method.slice(method.indexOf('.') + 1)]
    if (!FUTURES_PUBLIC.has(name) || (verb !== 'sub' && verb !== 'unsub'))
      return [this.#error(`Contract or method does not exist: ${method.slice(0, 40)}`)]
    if (verb === 'sub') return [this.#subscribe(method, name, param)]
    return [this.#unsubscribe(method, name, param)]
  }

  refusalText({ code, message }: Refusal): string {
    return this.#frame('rs.error', `${code}: ${message}`)
  }

  callerChanged(): void {
    if (!this.#socket.may('account')) this.#filter = new Map()
    if (!this.#socket.may('market')) this.#stopTopics()
  }

  ended(): void {
    this.#account.close()
    this.#stopTopics()
  }

  #stopTopics(): void {
    for (const { stop } of this.#topics.values()) stop()
    this.#topics.clear()
  }

  async #login({ apiKey }: Frame, isQuiet: boolean): Promise<Reply> {
    const key = textOf(apiKey) ?? ''
    const { request, caller } = this.#socket
    // A header has said who it is: then the key is what the bot's SDK asks for.
    if (caller === undefined || looksLikeToken(key))
      this.#socket.signIn(await this.#parts.callers.ofToken(request, key))
    if (!this.#socket.may('account')) return this.#error('SCOPE_INSUFFICIENT')
    const problem = isQuiet ? undefined : await this.#listen()
    if (problem !== undefined) return problem
    this.#filter = isQuiet ? new Map() : null
    return this.#frame('rs.login', 'success')
  }

  /** The last filter replaces the one before; an empty list, or none, is everything. */
  async #setFilter({ filters }: Frame): Promise<Reply> {
    if (!this.#socket.may('account')) return this.#error('TOKEN_MISSING: sign in first')
    const filter = new Map<string, ReadonlySet<string>>()
    for (const entry of Array.isArray(filters) ? filters : []) {
      const { filter: name, rules } = isRecord(entry) ? entry : {}
      if (typeof name !== 'string' || !FILTERS.has(name))
        return this.#error(`Invalid filter: ${textOf(name)?.slice(0, 40) ?? ''}`)
      const given = Array.isArray(rules) ? rules : []
      const symbols = given.filter((rule) => typeof rule === 'string')
      if (symbols.length > 0 && WITHOUT_SYMBOLS.has(name))
        return this.#error(`The filter ${name} takes no symbols`)
      filter.set(name, new Set(symbols))
    }
    const problem = await this.#listen()
    if (problem !== undefined) return problem
    this.#filter = filter.size === 0 ? null : filter
    return this.#frame('rs.personal.filter', 'success')
  }

  /** @returns why there is no feed */
  async #listen(): Promise<Reply> {
    const feed = await this.#account.open('mexc-futures')
    return feed === undefined ? this.#error(await this.#account.whyNone()) : undefined
  }

  #subscribe(method: string, name: string, param: Frame): Reply {
    if (!this.#socket.may('market'))
      return this.#error('TOKEN_MISSING: sign in first, or send a token in the header')
    const fields = paramOf(param)
    if (fields === undefined) return this.#error(`Illegal param: ${method}`)
    const topic = mexcFuturesTopic(name, fields)
    if (this.#topics.has(topic.key)) return this.#frame(`rs.${method}`, 'success')
    if (this.#topics.size >= SUBSCRIPTIONS_MAX)
      return this.#error(`At most ${SUBSCRIPTIONS_MAX} channels`)
    const made = { name, symbol: textOf(fields.symbol) ?? '', stop: () => {} }
    this.#topics.set(topic.key, made)
    const stop = this.#parts.publicFeeds.subscribe(topic, {
      clientRef: this.#socket.caller?.clientRef,
      accepted: () => this.#socket.send(this.#frame(`rs.${method}`, 'success')),
      refused: (message) => {
        this.#topics.delete(topic.key)
        this.#socket.send(this.#error(message))
      },
      push: (raw) => {
        const text = mexcFuturesTextOf(raw)
        if (text !== undefined) this.#socket.send(text)
      },
      interrupted: () => this.#socket.end(CLOSE_CODES.restart, 'The channel had a gap'),
    })
    made.stop = stop
    return undefined
  }

  #unsubscribe(method: string, name: string, param: Frame): Reply {
    const symbol = textOf(param.symbol) ?? ''
    for (const [key, topic] of this.#topics) {
      if (topic.name !== name || (symbol !== '' && topic.symbol !== symbol)) continue
      topic.stop()
      this.#topics.delete(key)
    }
    return this.#frame(`rs.${method}`, 'success')
  }

  #pushed(push: FeedPush): void {
    const { caller } = this.#socket
    if (caller === undefined || push.feed !== 'mexc-futures' || !this.#isWanted(push)) return
    const { isAll, orderIds, symbols } = hiddenIn(push, caller)
    if (isAll || orderIds.size > 0 || symbols.size > 0) return
    const text = mexcFuturesTextOf(push.raw)
    if (text !== undefined) this.#socket.send(text.replaceAll(OPPONENT, ''))
  }

  #isWanted({ channel, events }: FeedPush): boolean {
    if (this.#filter === null) return true
    const symbols = this.#filter.get(channel.replace(PUSH, ''))
    if (symbols === undefined) return false
    return (
      symbols.size === 0 || events.some(({ data }) => 'symbol' in data && symbols.has(data.symbol))
    )
  }

  #error(data: string): string {
    return this.#frame('rs.error', data)
  }

  #frame(channel: string, data: string | number): string {
    return JSON.stringify({ channel, data, ts: this.#parts.nowMs() })
  }
}

type Param = Readonly<Record<string, string | number | boolean>>

/** The fields that a channel may have; undefined when one has a value that none has. */
function paramOf(given: Frame): Param | undefined {
  const fields: Record<string, string | number | boolean> = {}
  for (const name of PARAM_NAMES) {
    const value = given[name]
    if (value === undefined || value === null) continue
    const isPlain =
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      (typeof value === 'string' && PARAM_TEXT.test(value))
    if (!isPlain) return undefined
    fields[name] = value
  }
  return fields
}
