import { createHmac } from 'node:crypto'
import type { ExchangeKeys } from '../exchange.ts'
import {
  type AccountEvent,
  type FeedFrame,
  meaningOf,
  nameOf,
  needed,
  positionData,
  type Row,
  rowsOf,
} from '../feed.ts'
import { parseLossless } from '../protocol/lossless.ts'
import { cleanWords, codeOf, isRecord, textOf } from '../protocol/untrusted.ts'

// What the feeds of v2 and v3 have in common (docs/exchanges/streams.md, 4 and 5).

/** The argument of a subscription. */
export type BitgetArg = Readonly<Record<string, string>>

/** The name of a subscription, without its symbol or coin. */
export function channelOf({ instType, channel, topic }: Row): string {
  return `${textOf(instType)?.toUpperCase() ?? ''} ${textOf(channel) ?? textOf(topic) ?? ''}`
}

export function subscribeFrame(args: readonly BitgetArg[]): string {
  return JSON.stringify({ op: 'subscribe', args })
}

/** The refusal of a channel that only bots use does not affect the feed. */
export function withoutRefusals(forBots: readonly BitgetArg[], frame: FeedFrame): FeedFrame {
  if (frame.kind !== 'notSubscribed') return frame
  const isForBots = forBots.some((arg) => channelOf(arg) === frame.channel)
  return isForBots ? { kind: 'passedOver', channel: frame.channel } : frame
}

/** The time is in seconds: the page says ms, its sample and both SDKs send seconds. */
function bitgetLogin({ apiKey, apiSecret, passphrase }: ExchangeKeys, nowMs: number) {
  const timestamp = `${Math.floor(nowMs / 1_000)}`
  const sign = createHmac('sha256', apiSecret)
    .update(`${timestamp}GET/user/verify`)
    .digest('base64')
  return JSON.stringify({ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] })
}

export const bitgetSocket = {
  login: bitgetLogin,
  ping: 'ping',
  // Without a text ping it ends after 2 minutes; a protocol ping does not count.
  ...{ pingEveryMs: 25_000, silentAfterMs: 60_000, lifeMs: 24 * 3_600_000 },
} as const

const LOGIN_REFUSED: ReadonlySet<string> = new Set([
  ...['30005', '30011', '30012', '30013', '30014', '30015'],
])
/** Other codes are about the time. */
const KEY_REFUSED: ReadonlySet<string> = new Set(['30005', '30011', '30012', '30015'])
const SERVICE_UPGRADE = '30033'
/** The source of one SDK says that the socket drops about 60 s later. */
const UPGRADE_MS = 60_000

export interface BitgetPush {
  readonly arg: Row
  readonly channel: string
  readonly rows: readonly Row[]
  readonly sentAtMs: unknown
}

/** @param readRows reads a push with rows @throws as `needed` */
export function readBitgetFrame(
  data: string | Buffer,
  readPush: (push: BitgetPush) => FeedFrame,
): FeedFrame {
  const text = data.toString()
  if (text === 'pong') return { kind: 'pong' }
  const parsed = parseLossless(text)?.value
  const frame: Row = needed(isRecord(parsed) ? parsed : undefined, 'JSON')
  const arg = isRecord(frame.arg) ? frame.arg : undefined
  switch (frame.event) {
    case 'login':
      // The code is a number; the page's sample has a text.
      return codeOf(frame.code) === '0' ? { kind: 'loggedIn' } : refused(frame)
    case 'subscribe':
      return { kind: 'subscribed', channel: channelOf(needed(arg, 'channel')) }
    case 'error':
      return readError(frame, arg)
    case undefined:
      break
    default:
      return { kind: 'passedOver', channel: cleanWords(frame.event) }
  }
  const channel = channelOf(needed(arg, 'channel'))
  return readPush({ arg: arg ?? {}, channel, rows: rowsOf(frame.data), sentAtMs: frame.ts })
}

function readError(frame: Row, arg: Row | undefined): FeedFrame {
  const code = codeOf(frame.code) ?? ''
  if (code === SERVICE_UPGRADE) return { kind: 'ending', withinMs: UPGRADE_MS }
  if (LOGIN_REFUSED.has(code)) return refused(frame)
  if (arg !== undefined)
    return { kind: 'notSubscribed', channel: channelOf(arg), message: wordsIn(frame) }
  return { kind: 'unreadable', why: wordsIn(frame) }
}

const refused = (frame: Row): FeedFrame => ({
  ...{ kind: 'loginRefused', message: wordsIn(frame) },
  isKey: KEY_REFUSED.has(codeOf(frame.code) ?? ''),
})

/** The subject of a futures row without an event: a symbol, or the whole account. */
export function aboutFutures(row: Row): AccountEvent {
  const symbol = nameOf(row.symbol) ?? nameOf(row.instId)
  const of = { market: 'futures', timeMs: null } as const
  if (symbol !== undefined)
    return { ...of, type: 'position', data: positionData({ symbol, side: 'long', quantity: '0' }) }
  const asset = nameOf(row.marginCoin) ?? ''
  return { ...of, type: 'balance', data: { asset, available: '0', locked: '0', total: null } }
}

const wordsIn = ({ code, msg }: Row): string =>
  cleanWords(`${codeOf(code) ?? ''} ${textOf(msg) ?? ''}`)

/** `crossed` and `isolated`; closed positions have `fixed`. */
export function marginModeOf(mode: unknown): 'cross' | 'isolated' | null {
  const word = textOf(mode)?.toLowerCase()
  if (word === 'crossed' || word === 'cross') return 'cross'
  return word === 'isolated' || word === 'fixed' ? 'isolated' : null
}

/** By order type and time in force. */
export function orderTypeOf(kind: unknown, force: unknown): string | null {
  const word = textOf(kind)?.toLowerCase()
  if (word !== 'limit') return word === 'market' ? 'market' : null
  const name = textOf(force)?.toLowerCase()
  return name === 'post_only' ? 'postOnly' : name === 'ioc' || name === 'fok' ? name : 'limit'
}

export function sideOf(value: unknown): 'buy' | 'sell' | null {
  const word = textOf(value)?.toLowerCase()
  return word === 'buy' || word === 'sell' ? word : null
}

export function positionSideOf(value: unknown): 'long' | 'short' | null {
  const word = textOf(value)?.toLowerCase()
  return word === 'long' || word === 'short' ? word : null
}

/** `T` and `M` in some pushes, whole words elsewhere. */
export function liquidityOf(tradeScope: unknown): 'maker' | 'taker' | null {
  const letter = textOf(tradeScope)?.[0]?.toLowerCase()
  return letter === 'm' ? 'maker' : letter === 't' ? 'taker' : null
}

/** The case of the word does not matter. @throws as `needed` */
export function statusIn<T>(statuses: Readonly<Record<string, T>>, word: unknown): T {
  return needed(meaningOf(statuses, textOf(word)?.toLowerCase()), 'status')
}

/** The statuses of v2. In v3, `live` has another meaning. */
export const BITGET_STATUSES = {
  init: 'open',
  live: 'open',
  new: 'open',
  partially_filled: 'partiallyFilled',
  partially_fill: 'partiallyFilled',
  filled: 'filled',
  full_fill: 'filled',
  cancelled: 'canceled',
  canceled: 'canceled',
} as const

/** The first coin of a list of fees, or of a single fee. */
export function feeDetailOf(feeDetail: unknown): Row {
  const [first] = Array.isArray(feeDetail) ? feeDetail : [feeDetail]
  return isRecord(first) ? first : {}
}

/** Some pages spell it with another letter. */
export const clientIdOf = (row: Row): string | null =>
  nameOf(row.clientOid) ?? nameOf(row.clientOId) ?? null

export const orderIdOf = (row: Row): string => needed(nameOf(row.orderId), 'order id')
