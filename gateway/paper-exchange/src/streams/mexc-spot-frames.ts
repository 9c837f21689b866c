import type { Decimal } from '../exact-numbers.ts'
import { orderIdOf } from '../mexc/spot-views.ts'
import { averagePriceOf } from '../order-shelf.ts'
import type { DepthLevel } from '../prices.ts'
import type { SpotOrder, SpotTrade } from '../spot-book.ts'
import type { SpotBalance } from '../wallets.ts'

/** A field of a message: text, a number that is no fraction, a flag, or a message. */
type ProtobufValue = string | number | bigint | boolean | Buffer | undefined

const VARINT = 0n
const LENGTH_DELIMITED = 2n

/**
 * A protobuf message of numbered fields, in wire types 0 and 2, which is all that MEXC has. As in
 * proto3, a field at its default (empty, 0, false) is left out; a list of messages is a field for
 * each.
 */
export function writeMessage(fields: readonly (readonly [number, ProtobufValue])[]): Buffer {
  return Buffer.concat(fields.flatMap(([number, value]) => field(BigInt(number), value)))
}

function field(number: bigint, value: ProtobufValue): Buffer[] {
  if (value === undefined || value === '' || value === false) return []
  if (typeof value === 'string') return [delimited(number, Buffer.from(value))]
  if (Buffer.isBuffer(value)) return [delimited(number, value)]
  const whole = BigInt(value)
  return whole === 0n ? [] : [varint((number << 3n) | VARINT), varint(whole)]
}

const delimited = (number: bigint, bytes: Buffer): Buffer =>
  Buffer.concat([varint((number << 3n) | LENGTH_DELIMITED), varint(BigInt(bytes.length)), bytes])

/** Seven bits a byte, the lowest first. */
function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)])
}

/** The numbers of the bodies in the wrapper (streams.md, 2). */
const BODIES = {
  orders: 304,
  deals: 306,
  account: 307,
  depth: 313,
  trades: 314,
  bookTicker: 315,
} as const

interface Wrapper {
  readonly channel: string
  readonly symbol: string | undefined
  readonly createdAtMs: number
  readonly sentAtMs: number
}

/** `PushDataV3ApiWrapper` around one message. */
export function wrapped(
  { channel, symbol, createdAtMs, sentAtMs }: Wrapper,
  body: keyof typeof BODIES,
  message: Buffer,
): Buffer {
  return writeMessage([
    [1, channel],
    [3, symbol],
    [5, createdAtMs],
    [6, sentAtMs],
    [BODIES[body], message],
  ])
}

/** By the word of REST. */
const ORDER_TYPES: Readonly<Record<string, number>> = {
  LIMIT: 1,
  LIMIT_MAKER: 2,
  IMMEDIATE_OR_CANCEL: 3,
  FILL_OR_KILL: 4,
  MARKET: 5,
}

/** 5: a part has traded, and the rest is cancelled. */
function statusOf({ status, filledSize }: SpotOrder): number {
  if (status === 'filled') return 2
  if (filledSize.isZero()) return status === 'open' ? 1 : 4
  return status === 'open' ? 3 : 5
}

const sideOf = ({ side }: SpotOrder): number => (side === 'buy' ? 1 : 2)

/** `PrivateOrdersV3Api`; there is no time of the change (streams.md, 6). */
export function orderMessage(order: SpotOrder, trade: SpotTrade | undefined): Buffer {
  const { price, size, filledSize, filledValue, quoteAmount } = order
  const priceText = (price ?? averagePriceOf(order)).toFixed()
  const amount = quoteAmount ?? size.times(price ?? averagePriceOf(order))
  return writeMessage([
    [1, orderIdOf(order)],
    [2, order.clientId],
    [3, priceText],
    [4, size.toFixed()],
    [5, amount.toFixed()],
    [6, averagePriceOf(order).toFixed()],
    [7, ORDER_TYPES[order.labels.type ?? ''] ?? 1],
    [8, sideOf(order)],
    [9, trade?.isMaker],
    [10, amount.minus(filledValue).toFixed()],
    [11, size.minus(filledSize).toFixed()],
    [12, trade?.size.toFixed()],
    [13, filledSize.toFixed()],
    [14, filledValue.toFixed()],
    [15, statusOf(order)],
    [16, order.createdAtMs],
  ])
}

/** `PrivateDealsV3Api`. */
export function dealMessage({
  id,
  order,
  price,
  size,
  fee,
  feeCoin,
  isMaker,
  atMs,
}: SpotTrade): Buffer {
  return writeMessage([
    [1, price.toFixed()],
    [2, size.toFixed()],
    [3, price.times(size).toFixed()],
    [4, sideOf(order)],
    [5, isMaker],
    [6, false],
    [7, id],
    [8, order.clientId],
    [9, orderIdOf(order)],
    [10, fee.toFixed()],
    [11, feeCoin],
    [12, atMs],
  ])
}

/** `PrivateAccountV3Api`. */
export function accountMessage(
  { coin, free, locked }: Readonly<SpotBalance>,
  before: { readonly free: Decimal; readonly locked: Decimal },
  { type, atMs }: { readonly type: string; readonly atMs: number },
): Buffer {
  return writeMessage([
    [1, coin],
    [2, `paper-${coin}`],
    [3, free.toFixed()],
    [4, free.minus(before.free).toFixed()],
    [5, locked.toFixed()],
    [6, locked.minus(before.locked).toFixed()],
    [7, type],
    [8, atMs],
  ])
}

const level = ({ price, size }: DepthLevel): Buffer =>
  writeMessage([
    [1, price.toFixed()],
    [2, size.toFixed()],
  ])

const each = (number: number, messages: readonly Buffer[]): (readonly [number, ProtobufValue])[] =>
  messages.map((message) => [number, message])

/** `PublicAggreDepthsV3Api`: one version a push. */
export function depthMessage(
  { bids, asks }: { readonly bids: readonly DepthLevel[]; readonly asks: readonly DepthLevel[] },
  { eventType, version }: { readonly eventType: string; readonly version: number },
): Buffer {
  return writeMessage([
    ...each(1, asks.map(level)),
    ...each(2, bids.map(level)),
    [3, eventType],
    [4, `${version}`],
    [5, `${version}`],
  ])
}

/** `PublicAggreDealsV3Api`, with the taker's side and, since 2026-06-17, the trade's id. */
export function tradesMessage(trades: readonly SpotTrade[], eventType: string): Buffer {
  const item = ({ id, price, size, order, isMaker, atMs }: SpotTrade): Buffer =>
    writeMessage([
      [1, price.toFixed()],
      [2, size.toFixed()],
      [3, (order.side === 'buy') === isMaker ? 2 : 1],
      [4, atMs],
      [5, id],
    ])
  return writeMessage([...each(1, trades.map(item)), [2, eventType]])
}

/** `PublicAggreBookTickerV3Api`. */
export function bookTickerMessage(
  { bid, ask }: { readonly bid: DepthLevel; readonly ask: DepthLevel },
  version: number,
): Buffer {
  return writeMessage([
    [1, bid.price.toFixed()],
    [2, bid.size.toFixed()],
    [3, ask.price.toFixed()],
    [4, ask.size.toFixed()],
    [5, `${version}`],
  ])
}
