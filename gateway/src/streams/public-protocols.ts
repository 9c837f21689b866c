import { gunzipSync } from 'node:zlib'
import type { ExchangeCode, Family } from '../exchanges/exchange.ts'
import type { FeedFrame } from '../exchanges/feed.ts'
import { parsePlain } from '../exchanges/protocol/lossless.ts'
import { isRecord } from '../exchanges/protocol/untrusted.ts'
import type { MessageLimits, SocketProtocol } from './feed-socket.ts'
import { MESSAGE_LIMITS } from './feed-socket.ts'

/** The public WebSockets. */
export type PublicFeedName = 'mexc-spot' | 'mexc-futures' | 'bitget-v2' | 'bitget-v3'

/** What somebody may subscribe to without an account. */
export interface PublicTopic {
  readonly feed: PublicFeedName
  /** Tells it from others of the feed. */
  readonly key: string
  /** What its pushes say of it: two topics for which it is the same need two connections. */
  readonly pushKey: string
  /** What its acknowledgement says of it. */
  readonly ackKey: string
  /** JSON of it in a frame. */
  readonly json: string
  /** Its updates are of use only after a snapshot, which comes once. */
  readonly isBook: boolean
  /** After pushes were lost, the next ones are right again. */
  readonly survivesGap: boolean
}

type PublicVerb = 'subscribe' | 'unsubscribe'

/** What the gateway sends on a public socket, and what frames mean. */
export interface PublicProtocol {
  readonly exchange: ExchangeCode
  readonly family: Family
  readonly path: string
  readonly topicsMax: number
  readonly limits: MessageLimits
  readonly socket: Omit<SocketProtocol, 'subscribe' | 'channels'>
  readonly frames: (verb: PublicVerb, topics: readonly PublicTopic[]) => string[]
}

const UNLIMITED = Number.POSITIVE_INFINITY
/** One request has at most 4096 bytes (docs/exchanges/streams.md, 1). */
const BITGET_FRAME_MAX = 4_000

/** A channel of Bitget, as its frames have it; both versions call the first field so. */
export type BitgetArg = Readonly<Record<string, string>>

const bitgetFeed = (version: 2 | 3): PublicProtocol => ({
  exchange: 'bg',
  family: 'bitget',
  path: `/v${version}/ws/public`,
  // The exchange advises fewer than 50.
  topicsMax: 45,
  limits: MESSAGE_LIMITS,
  socket: { ping: 'ping', pingEveryMs: 25_000, silentAfterMs: 60_000, read: readBitget },
  frames(op, topics) {
    const frames: string[] = []
    let args: string[] = []
    let length = 0
    for (const { json } of topics) {
      if (length + json.length > BITGET_FRAME_MAX) {
        frames.push(bitgetFrame(op, args))
        args = []
        length = 0
      }
      args.push(json)
      length += Buffer.byteLength(json) + 1
    }
    return args.length === 0 ? frames : [...frames, bitgetFrame(op, args)]
  },
})

const bitgetFrame = (op: PublicVerb, args: readonly string[]) =>
  `{"op":"${op}","args":[${args.join()}]}`

export const PUBLIC_PROTOCOLS: Readonly<Record<PublicFeedName, PublicProtocol>> = {
  'bitget-v2': bitgetFeed(2),
  'bitget-v3': bitgetFeed(3),
  'mexc-spot': {
    exchange: 'mx',
    family: 'mexc-spot',
    path: '/ws',
    topicsMax: 30,
    limits: { perSecond: 50, subscribesPerHour: UNLIMITED },
    socket: {
      ping: '{"method":"PING"}',
      pingEveryMs: 20_000,
      silentAfterMs: 60_000,
      read: readMexcSpot,
    },
    // One topic for each request: its acknowledgement says what became of it.
    frames: (verb, topics) =>
      topics.map(
        ({ json }) =>
          `{"method":"${verb === 'subscribe' ? 'SUBSCRIPTION' : 'UNSUBSCRIPTION'}","params":[${json}]}`,
      ),
  },
  'mexc-futures': {
    exchange: 'mx',
    family: 'mexc-futures',
    path: '/edge',
    // By one report [?] (docs/exchanges/streams.md, 1).
    topicsMax: 30,
    limits: { perSecond: 20, subscribesPerHour: UNLIMITED },
    socket: {
      ping: '{"method":"ping"}',
      pingEveryMs: 15_000,
      silentAfterMs: 60_000,
      read: readMexcFutures,
    },
    frames: (verb, topics) =>
      topics.map(
        ({ json }) => `{"method":"${verb === 'subscribe' ? 'sub' : 'unsub'}.${json.slice(1)}`,
      ),
  },
}

const BITGET_BOOKS = /^books\d*$/

export function bitgetTopic(version: 2 | 3, arg: BitgetArg): PublicTopic {
  const name = arg.channel ?? arg.topic ?? ''
  const key = bitgetKey(arg)
  return {
    ...{ feed: `bitget-v${version}`, key, pushKey: key, ackKey: key, json: JSON.stringify(arg) },
    isBook: BITGET_BOOKS.test(name),
    survivesGap: !/trade/i.test(name),
  }
}

const bitgetKey = (arg: Readonly<Record<string, unknown>>) =>
  JSON.stringify(Object.entries(arg).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** @param channel as a subscription names it */
export function mexcSpotTopic(channel: string): PublicTopic {
  return {
    ...{ feed: 'mexc-spot', key: channel, pushKey: channel, ackKey: channel },
    json: JSON.stringify(channel),
    isBook: false,
    survivesGap: !/aggre\.(?:depth|deals)/.test(channel),
  }
}

/**
 * @param name of the method, without `sub.`
 * @param param its fields that are texts, numbers or flags
 */
export function mexcFuturesTopic(
  name: string,
  param: Readonly<Record<string, string | number | boolean>>,
): PublicTopic {
  const json = `"${name}","param":${JSON.stringify(param)},"gzip":false}`
  return {
    ...{ feed: 'mexc-futures', key: json, ackKey: name, json },
    pushKey: futuresPushKey(name, param.symbol, param.interval),
    isBook: false,
    survivesGap: !['deal', 'depth', 'depth.step'].includes(name),
  }
}

const futuresPushKey = (name: string, symbol: unknown, interval: unknown) =>
  `${name}@${typeof symbol === 'string' ? symbol : ''}${typeof interval === 'string' ? `@${interval}` : ''}`

/** The argument and the action come first; the rest of a push is not read. */
const BITGET_HEAD = 500
const BITGET_ARG = /"arg":\s*(\{[^{}]*\})/
const BITGET_ACTION = /"action":\s*"(\w+)"/

/** Whether a push of Bitget is all of what it is about. */
export const isBitgetSnapshot = (text: string): boolean =>
  BITGET_ACTION.exec(text.slice(0, BITGET_HEAD))?.[1] === 'snapshot'

/** The argument of a push, as it is written. */
export const bitgetArgIn = (text: string): string | undefined =>
  BITGET_ARG.exec(text.slice(0, BITGET_HEAD))?.[1] ?? BITGET_ARG.exec(text)?.[1]

const SERVICE_UPGRADE = 30_033

function readBitget(data: string | Buffer): FeedFrame {
  const text = data.toString()
  if (text === 'pong') return { kind: 'pong' }
  if (BITGET_ACTION.test(text.slice(0, BITGET_HEAD))) {
    const arg = parsePlain(bitgetArgIn(text) ?? '')?.value
    if (isRecord(arg)) return { kind: 'push', channel: bitgetKey(arg), events: [] }
  }
  const frame = parsePlain(text)?.value
  if (!isRecord(frame)) return { kind: 'unreadable', why: 'no JSON object' }
  const channel = isRecord(frame.arg) ? bitgetKey(frame.arg) : ''
  if (frame.event === 'subscribe') return { kind: 'subscribed', channel }
  if (frame.event !== 'error') return { kind: 'passedOver', channel: `${frame.event}` }
  if (Number(frame.code) === SERVICE_UPGRADE) return { kind: 'ending', withinMs: 60_000 }
  if (channel === '') return { kind: 'passedOver', channel: `error ${Number(frame.code)}` }
  return { kind: 'notSubscribed', channel, message: JSON.stringify([frame.code, frame.msg]) }
}

const FIRST_FIELD_IS_TEXT = 0x0a
const MORE_BITS = 0x80

/** The channel of a push: field 1 of the wrapper, a text, comes first. */
function mexcSpotChannelIn(data: Buffer): string | undefined {
  const [tag, low = 0, high = 0] = data
  if (tag !== FIRST_FIELD_IS_TEXT) return undefined
  const isLong = (low & MORE_BITS) !== 0
  const length = isLong ? (low & 0x7f) + (high << 7) : low
  const start = isLong ? 3 : 2
  return data.length < start + length ? undefined : data.toString('utf8', start, start + length)
}

function readMexcSpot(data: string | Buffer): FeedFrame {
  if (typeof data !== 'string') {
    const channel = mexcSpotChannelIn(data)
    if (channel === undefined) return { kind: 'unreadable', why: 'no channel' }
    return { kind: 'push', channel, events: [] }
  }
  const frame = parsePlain(data)?.value
  if (!isRecord(frame) || typeof frame.msg !== 'string')
    return { kind: 'unreadable', why: 'no acknowledgement' }
  if (frame.msg === 'PONG') return { kind: 'pong' }
  return { kind: 'subscribed', channel: frame.msg }
}

const FRAME_BYTES_MAX = 1024 * 1024
const GZIP = 0x1f

/** The text of a frame of MEXC futures, which may come compressed; undefined: it cannot be read. */
export function mexcFuturesTextOf(data: string | Buffer): string | undefined {
  if (typeof data === 'string') return data
  if (data[0] !== GZIP) return data.toString()
  try {
    return gunzipSync(data, { maxOutputLength: FRAME_BYTES_MAX }).toString()
  } catch {
    return undefined // The caller counts the frame.
  }
}

function readMexcFutures(data: string | Buffer): FeedFrame {
  const frame = parsePlain(mexcFuturesTextOf(data) ?? '')?.value
  if (!isRecord(frame) || typeof frame.channel !== 'string')
    return { kind: 'unreadable', why: 'no channel' }
  const { channel, symbol } = frame
  if (channel === 'pong') return { kind: 'pong' }
  if (channel.startsWith('push.')) {
    const row = isRecord(frame.data) ? frame.data : {}
    const interval = channel === 'push.kline' ? row.interval : undefined
    const key = futuresPushKey(channel.slice('push.'.length), symbol ?? row.symbol, interval)
    return { kind: 'push', channel: key, events: [] }
  }
  if (channel.startsWith('rs.sub.'))
    return { kind: 'subscribed', channel: channel.slice('rs.sub.'.length) }
  if (channel === 'rs.error')
    return { kind: 'notSubscribed', channel: '', message: `${frame.data}` }
  return { kind: 'passedOver', channel }
}
