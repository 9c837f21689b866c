import { randomUUID } from 'node:crypto'
import { readJson } from '../../exchanges/protocol/json-text.ts'
import { isRecord, textOf } from '../../exchanges/protocol/untrusted.ts'
import type { FeedPush } from '../../streams/account-feed.ts'
import type { PublicFeeds } from '../../streams/public-feeds.ts'
import { type BitgetArg, bitgetArgIn, bitgetTopic } from '../../streams/public-protocols.ts'
import { AccountPushes, type AccountPushesParts, hiddenIn, rowsFor } from './account-pushes.ts'
import {
  type BotSession,
  type BotSocket,
  type Replies,
  type Reply,
  type SocketCallers,
  SUBSCRIPTIONS_MAX,
} from './bot-sockets.ts'
import { CLOSE_CODES, looksLikeToken, NotSignedInError, type Refusal } from './refusals.ts'

export interface BitgetSocketsParts extends AccountPushesParts {
  readonly callers: SocketCallers
  readonly publicFeeds: Pick<PublicFeeds, 'subscribe'>
}

/** The exchange's codes (docs/exchanges/streams.md, 4). */
const CODES = {
  noChannel: 30001,
  illegalRequest: 30002,
  invalidOp: 30003,
  notLoggedIn: 30004,
  loginFailed: 30005,
  tooMany: 30006,
  parameter: 30016,
} as const

/** What an argument may name; all else is dropped. */
const ARG_FIELDS = ['instType', 'channel', 'topic', 'instId', 'symbol', 'coin', 'interval'] as const
/** Letters of any language: symbols of MEXC and Bitget have Chinese ones too. */
const ARG_VALUE = /^[\p{L}\p{N}_.:/-]{1,64}$/u

const PUBLIC_CHANNELS = {
  2: /^(?:ticker|trade|books\d{0,2}|candle\w{1,10}|auction)$/,
  3: /^(?:ticker|publicTrade|books\d{0,2}|kline|liquidation)$/,
} as const
const PRIVATE_CHANNELS: Readonly<Record<2 | 3, ReadonlySet<string>>> = {
  2: new Set([
    ...['orders', 'fill', 'account', 'positions', 'positions-history', 'orders-algo'],
    ...['equity', 'adl-noti'],
  ]),
  3: new Set([
    ...['order', 'fill', 'position', 'account', 'strategy-order'],
    ...['fast-fill', 'adl-notification'],
  ]),
}
/** The exchange gives all of it when somebody subscribes. */
const WITH_SNAPSHOT: ReadonlySet<string> = new Set(['account', 'positions', 'position'])

interface Subscription {
  readonly arg: BitgetArg
  /** As a push says it, in place of what the gateway subscribed to. */
  readonly json: string
  /** Undefined: it is public. */
  readonly channel: string | undefined
  isConfirmed: boolean
  stop: () => void
}

/** A bot on one of Bitget's own addresses: both kinds of channels are at each of them. */
export class BitgetSession implements BotSession {
  readonly #version: 2 | 3
  readonly #socket: BotSocket
  readonly #parts: BitgetSocketsParts
  readonly #account: AccountPushes
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #connId = randomUUID()

  constructor(version: 2 | 3, socket: BotSocket, parts: BitgetSocketsParts) {
    this.#version = version
    this.#socket = socket
    this.#parts = parts
    this.#account = new AccountPushes(parts, socket, 'bg', (push) => this.#pushed(push))
  }

  pong(text: string): string | undefined {
    return text === 'ping' ? 'pong' : undefined
  }

  async receive(text: string): Promise<Replies> {
    const frame = readJson(text)?.value
    if (!isRecord(frame)) return [errorText(CODES.illegalRequest, 'Illegal request')]
    const args = Array.isArray(frame.args) ? frame.args : []
    switch (frame.op) {
      case 'login':
        return [await this.#login(isRecord(args[0]) ? args[0] : {})]
      case 'subscribe':
        return args.map((given) => this.#withArg(given, (arg) => this.#subscribe(arg)))
      case 'unsubscribe':
        return args.map((given) => this.#withArg(given, (arg) => this.#unsubscribe(arg)))
      case 'trade':
        return [tradeRefusal(frame)]
      default:
        return [errorText(CODES.invalidOp, 'Invalid op')]
    }
  }

  refusalText({ code, message }: Refusal): string {
    const number = code.startsWith('TOO_MANY') ? CODES.tooMany : CODES.loginFailed
    return errorText(number, `${code}: ${message}`)
  }

  callerChanged(): void {
    for (const [key, { arg, channel, stop }] of this.#subscriptions) {
      if (this.#socket.may(channel === undefined ? 'market' : 'account')) continue
      this.#subscriptions.delete(key)
      stop()
      this.#socket.send(errorText(CODES.notLoggedIn, 'SCOPE_INSUFFICIENT', arg))
    }
  }

  ended(): void {
    this.#account.close()
    for (const { stop } of this.#subscriptions.values()) stop()
    this.#subscriptions.clear()
  }

  async #login({ apiKey, passphrase }: Readonly<Record<string, unknown>>): Promise<Reply> {
    const [key, secret] = [textOf(apiKey) ?? '', textOf(passphrase) ?? '']
    const { callers } = this.#parts
    const { request, caller } = this.#socket
    if (looksLikeToken(key)) this.#socket.signIn(await callers.ofToken(request, key))
    // A header has said who it is: then key and passphrase are what the bot's SDK asks for.
    else if (caller === undefined) {
      if (key === '' || secret === '') throw new NotSignedInError()
      const given = { clientId: key, clientSecret: secret }
      this.#socket.signIn(await callers.ofSecret(request, given))
    }
    // A number: an SDK that gets text waits for ever.
    return JSON.stringify({ event: 'login', code: 0, connId: this.#connId })
  }

  #withArg(given: unknown, reply: (arg: BitgetArg) => Reply): Reply {
    const arg = argOf(given)
    return arg === undefined ? errorText(CODES.parameter, 'Param error') : reply(arg)
  }

  #subscribe(arg: BitgetArg): Reply {
    const key = keyOf(arg)
    const known = this.#subscriptions.get(key)
    // Acknowledged twice, and sent once.
    if (known !== undefined) return known.isConfirmed ? this.#acknowledgement(arg) : undefined
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX)
      return errorText(CODES.tooMany, `At most ${SUBSCRIPTIONS_MAX} channels`, arg)
    const name = arg.channel ?? arg.topic ?? ''
    const isPrivate =
      PRIVATE_CHANNELS[this.#version].has(name) &&
      (this.#version === 2 || arg.instType?.toUpperCase() === 'UTA')
    if (!isPrivate && !PUBLIC_CHANNELS[this.#version].test(name))
      return errorText(CODES.noChannel, 'channel does not exist', arg)
    if (this.#socket.caller === undefined)
      return errorText(CODES.notLoggedIn, 'User needs to log in', arg)
    if (!this.#socket.may(isPrivate ? 'account' : 'market'))
      return errorText(CODES.notLoggedIn, 'SCOPE_INSUFFICIENT', arg)
    const channel = isPrivate ? channelOf(arg) : undefined
    const made = { arg, json: JSON.stringify(arg), channel, isConfirmed: false, stop: () => {} }
    this.#subscriptions.set(key, made)
    if (isPrivate) this.#listen(key, made).catch((error: unknown) => this.#socket.refuse(error))
    else this.#listenPublic(key, made)
    return undefined
  }

  #listenPublic(key: string, made: Subscription): void {
    const stop = this.#parts.publicFeeds.subscribe(bitgetTopic(this.#version, made.arg), {
      clientRef: this.#socket.caller?.clientRef,
      accepted: () => this.#confirm(made),
      refused: (message) => {
        this.#subscriptions.delete(key)
        this.#socket.send(errorText(CODES.noChannel, message, made.arg))
      },
      push: (raw) => this.#socket.send(raw),
      interrupted: () => this.#socket.end(CLOSE_CODES.restart, 'The channel had a gap'),
    })
    made.stop = stop
  }

  async #listen(key: string, made: Subscription): Promise<void> {
    const feed = await this.#account.open(this.#version === 2 ? 'bitget-classic' : 'bitget-unified')
    if (this.#subscriptions.get(key) !== made) return
    if (feed === undefined) {
      this.#subscriptions.delete(key)
      this.#socket.send(errorText(CODES.parameter, await this.#account.whyNone(), made.arg))
      return
    }
    this.#confirm(made)
    const last = feed.lastPush(made.channel ?? '')
    if (last !== undefined && WITH_SNAPSHOT.has(made.arg.channel ?? made.arg.topic ?? ''))
      this.#pushTo(made, last)
  }

  #unsubscribe(arg: BitgetArg): Reply {
    const key = keyOf(arg)
    const made = this.#subscriptions.get(key)
    if (made === undefined) return errorText(CODES.noChannel, 'channel is not subscribed to', arg)
    this.#subscriptions.delete(key)
    made.stop()
    return JSON.stringify({ event: 'unsubscribe', arg, connId: this.#connId })
  }

  #confirm(made: Subscription): void {
    made.isConfirmed = true
    this.#socket.send(this.#acknowledgement(made.arg))
  }

  #acknowledgement(arg: BitgetArg): string {
    // v3 has a code and a text beside it, both empty.
    const words = this.#version === 3 ? { code: '', msg: '' } : {}
    return JSON.stringify({ event: 'subscribe', arg, ...words, connId: this.#connId })
  }

  #pushed(push: FeedPush): void {
    for (const made of this.#subscriptions.values())
      if (made.isConfirmed && made.channel === push.channel) this.#pushTo(made, push)
  }

  #pushTo({ arg, json }: Subscription, push: FeedPush): void {
    const { caller } = this.#socket
    if (caller === undefined) return
    const hidden = hiddenIn(push, caller)
    if (hidden.isAll) return
    const { instId = 'default', coin = 'default' } = arg
    const asked = instId === 'default' ? coin : instId
    const raw = push.raw.toString()
    const text = rowsFor(raw, hidden, (name) => asked === 'default' || name === asked)
    const own = bitgetArgIn(text ?? '')
    if (text === undefined || own === undefined) return
    this.#socket.send(text.replace(own, () => json))
  }
}

const errorText = (code: number, msg: string, arg?: BitgetArg) =>
  JSON.stringify({ event: 'error', arg, code, msg })

/** In the form that rejects the promise of the bot's SDK: with the same id. */
function tradeRefusal({ id, topic, category, args }: Readonly<Record<string, unknown>>): string {
  const [first] = Array.isArray(args) ? args : []
  const own = id ?? (isRecord(first) ? first.id : undefined)
  const named = { id: own, topic: textOf(topic), category: textOf(category) }
  return JSON.stringify({ event: 'error', ...named, code: '25002', msg: 'use REST through Sluice' })
}

/** Undefined when it is no object, or has a value that no channel has. */
function argOf(given: unknown): BitgetArg | undefined {
  if (!isRecord(given)) return undefined
  const fields = Object.entries(given).filter(([name]) =>
    (ARG_FIELDS as readonly string[]).includes(name),
  )
  const texts = fields.filter(
    (field): field is [string, string] => typeof field[1] === 'string' && ARG_VALUE.test(field[1]),
  )
  return texts.length === 0 || texts.length < fields.length ? undefined : Object.fromEntries(texts)
}

const keyOf = (arg: BitgetArg) =>
  JSON.stringify(Object.entries(arg).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** As the gateway's own subscriptions are called. */
const channelOf = ({ instType = '', channel, topic }: BitgetArg) =>
  `${instType.toUpperCase()} ${channel ?? topic ?? ''}`
