import type {
  FEED_NAMES,
  StreamBalance,
  StreamFill,
  StreamMarket,
  StreamOrder,
  StreamPosition,
} from 'schema'
import type { AccountKind, ExchangeKeys, Family, Market, UpstreamCall } from './exchange.ts'
import type { OrderKey } from './order-lookup/order-key.ts'
import { product } from './protocol/decimals.ts'
import { ExchangeResponseUnclearError } from './protocol/errors.ts'
import { decimalOf, isRecord, positiveOf, textOf, unixMsOf } from './protocol/untrusted.ts'

/** The private WebSocket feeds. Bitget has one for each kind of account. */
export type FeedName = (typeof FEED_NAMES)[number]

/** The fields that the journal adds to an order or fill. */
type Joined = 'requestId' | 'idempotencyKey' | 'mine'
export type FeedOrder = Omit<StreamOrder, Joined>
export type FeedFill = Omit<StreamFill, Joined>

/**
 * A change or state of an account, in one form for all APIs, pushed or read. Amounts have the
 * exchange's own digits.
 */
export type AccountEvent = {
  readonly market: StreamMarket
  /** The exchange's time, whole Unix ms; null: it gave none. */
  readonly timeMs: number | null
} & (
  | {
      readonly type: 'order'
      readonly data: FeedOrder
      /** The key for looking up and cancelling the order. */
      readonly key: OrderKey
      /** A sequence number of the order's states, where the exchange has one. */
      readonly version?: string
      /** Bitget unified: the `requestId` of the change that caused this state. */
      readonly changeId?: string
      /** The exchange does not know the order any more. It has ended, but settles no request. */
      readonly isGone?: true
    }
  | { readonly type: 'fill'; readonly data: FeedFill }
  | {
      readonly type: 'position'
      readonly data: StreamPosition
      readonly version?: string
      /** Bitget: as in `Whole`. Two product types may have symbols of the same name. */
      readonly productType?: string
    }
  | { readonly type: 'balance'; readonly data: StreamBalance }
)

/**
 * Says that a list is complete. An open order that is missing in it has ended, and has to be looked
 * up. A missing position is closed. A missing balance is zero.
 */
export interface Whole {
  readonly of: 'order' | 'position' | 'balance'
  readonly market: StreamMarket
  /**
   * Bitget futures and the unified account: the product type or category, in capital letters. Keys
   * of orders may have it in any case. Absent: the whole market.
   */
  readonly productType?: string
  /** Absent: all symbols. */
  readonly symbol?: string
  /** The kind of trigger orders, as in OrderKey; absent: all orders that are no trigger orders. */
  readonly plan?: string
  /** The exchange's time of the list, Unix ms; absent: it gave none. */
  readonly timeMs?: number
}

/** A frame of an exchange, after parsing. */
export type FeedFrame =
  | { readonly kind: 'pong' }
  | { readonly kind: 'loggedIn' }
  /** `isKey`: because of the keys, so another attempt fails too. `message` has no secret. */
  | { readonly kind: 'loginRefused'; readonly message: string; readonly isKey: boolean }
  | { readonly kind: 'subscribed'; readonly channel: string }
  | { readonly kind: 'notSubscribed'; readonly channel: string; readonly message: string }
  /** The exchange will close the connection within this time. */
  | { readonly kind: 'ending'; readonly withinMs: number }
  | {
      readonly kind: 'push'
      /** As `channels` has it. */
      readonly channel: string
      readonly events: readonly AccountEvent[]
      /** Frames for bots only: the subjects of the rows, to decide which bots may see them. */
      readonly about?: readonly AccountEvent[]
      readonly whole?: Whole
    }
  /** A known frame that the gateway does not use. */
  | { readonly kind: 'passedOver'; readonly channel: string }
  | { readonly kind: 'unreadable'; readonly why: string }

/** A REST call that reads a part of an account, to close a gap. */
export interface RepairRead {
  readonly call: UpstreamCall
  /** @throws ExchangeResponseUnclearError when the response cannot be read: it proves nothing */
  readonly read: (data: unknown) => readonly AccountEvent[]
  /** Set when its events and those of the following pages are a complete list. */
  readonly whole?: Whole
  /** The next page. Absent, or undefined for this data: this was the last page. */
  readonly next?: (data: unknown) => RepairRead | undefined
}

/** The part of an account that has to be read. */
export interface RepairScope {
  /** Fills are read from this time: 60 s before the last frame. Exchange time, Unix ms. */
  readonly fillsSinceMs: number
  readonly nowMs: number
  /**
   * Symbols with orders of the gateway's clients, as the exchange spells them: MEXC, and Bitget's
   * classic spot, list fills by symbol.
   */
  readonly symbols: Readonly<Record<Market, readonly string[]>>
  /** Bitget: the product types in use (`SPOT`, `USDT-FUTURES`). Others are not read. */
  readonly productTypes: readonly string[]
}

/** MEXC spot: the calls for the key in the URL of its feed. All of them are signed. */
export interface ListenKeyProtocol {
  readonly create: () => UpstreamCall
  readonly read: (data: unknown) => string
  readonly extend: (listenKey: string) => UpstreamCall
  readonly remove: (listenKey: string) => UpstreamCall
  readonly extendEveryMs: number
}

/** The private feed of one API: the frames that the gateway sends, and the parser of the others. */
export interface FeedProtocol {
  readonly name: FeedName
  readonly family: Family
  /** Bitget: the kind of account. The socket of another kind signs in, but gets no pushes. */
  readonly accountKind?: AccountKind
  /** The markets of its `state` events. A feed of one market has only that. */
  readonly markets: readonly StreamMarket[]
  /** Path and query of the socket. @param listenKey where `listenKeys` is present */
  readonly pathOf: (listenKey?: string) => string
  readonly listenKeys?: ListenKeyProtocol
  /** The frame that signs in; absent with a listen key. @param nowMs exchange time, Unix ms */
  readonly login?: (keys: ExchangeKeys, nowMs: number) => string
  /** The frames that subscribe, sent after the login. Empty: the exchange pushes all channels. */
  readonly subscribe: readonly string[]
  /** The channels that `subscribed` has to confirm. */
  readonly channels: readonly string[]
  readonly ping: string
  readonly pingEveryMs: number
  /** A connection without any frame or pong for this long is dead. */
  readonly silentAfterMs: number
  /** The exchange closes a connection after this. The gateway replaces it an hour earlier. */
  readonly lifeMs: number
  /** @param data text of a text frame, bytes of a binary one */
  readonly read: (data: string | Buffer) => FeedFrame
  /**
   * The event that the feed would push about an order that a look-up found (`FoundOrder.order`).
   * @param key the key of the look-up
   * @throws ExchangeResponseUnclearError
   */
  readonly readOrder: (row: Row, key: OrderKey) => AccountEvent
  readonly repairReads: (scope: RepairScope) => readonly RepairRead[]
}

// Helpers of all feeds.

/** One row of a push or a response. */
export type Row = Readonly<Record<string, unknown>>

/** A row or a frame lacks a field that an event needs. */
class UnreadableError extends Error {}

/** @throws UnreadableError, which `inFrame` and `inResponse` expect */
export function needed<T>(value: T | undefined, what: string): T {
  return value === undefined ? unreadable(what) : value
}

/** Rejects a field that is there but invalid. */
export function unreadable(what: string): never {
  throw new UnreadableError(`It has no ${what} that can be read`)
}

/** Runs `read`. If a row cannot be read, the whole frame is unreadable. */
export function inFrame(read: () => FeedFrame): FeedFrame {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableError) return { kind: 'unreadable', why: error.message }
    throw error
  }
}

/** Runs `read` for a response. @throws ExchangeResponseUnclearError if it cannot be read */
export function inResponse<Args extends readonly unknown[], T>(
  exchange: string,
  read: (...args: Args) => T,
): (...args: Args) => T {
  return (...args) => {
    try {
      return read(...args)
    } catch (cause) {
      if (!(cause instanceof UnreadableError)) throw cause
      throw new ExchangeResponseUnclearError(exchange, cause.message, { cause })
    }
  }
}

/** @throws UnreadableError when it is not a list of rows */
export function rowsOf(list: unknown): Row[] {
  return Array.isArray(list) && list.every(isRecord) ? list : unreadable('list of rows')
}

/** The meaning of a word of the exchange; undefined: it is not in the table. */
export function meaningOf<T>(words: Readonly<Record<string, T>>, word: unknown): T | undefined {
  const name = textOf(word) ?? ''
  return Object.hasOwn(words, name) ? words[name] : undefined
}

const NAME_CHARACTERS_MAX = 100

/** An id or a name of up to 100 characters; otherwise undefined. */
export function nameOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && text.length <= NAME_CHARACTERS_MAX ? text : undefined
}

/** The exchange's own digits, never with an exponent; null: no number. */
export function amountOf(value: unknown): string | null {
  const decimal = decimalOf(value)
  const text = textOf(value)
  if (decimal === undefined || text === undefined) return null
  return /e/i.test(text) ? decimal : text
}

/** Like `amountOf`, but null for zero too, which exchanges write for a missing value. */
export function amountAboveZero(value: unknown): string | null {
  return positiveOf(value) === undefined ? null : amountOf(value)
}

/** A profit, which may be negative; null for zero, which fills that open a position have. */
export function profitOf(value: unknown): string | null {
  const amount = amountOf(value)
  return amount === null || Number(amount) === 0 ? null : amount
}

/**
 * Inverts the sign of a fee: in events, a paid fee is positive. A taker always pays, and some
 * samples of the exchange have that as positive [?].
 */
export function turnedFee(value: unknown, liquidity: FeedFill['liquidity']): string | null {
  const amount = amountOf(value)
  if (amount === null) return null
  if (amount.startsWith('-')) return amount.slice(1)
  return liquidity === 'taker' ? amount : product(amount, '-1').replace(/^-0$/, '0')
}

/** The first valid time of these, Unix ms. */
export function timeOf(...values: readonly unknown[]): number | null {
  return values.map(unixMsOf).find((timeMs) => timeMs !== undefined) ?? null
}

type Known<Data, Name extends keyof Data> = Pick<Data, Name> & Partial<Data>

// Fields are in the order of the contract. Unknown ones are null.

export function orderData(
  known: Known<FeedOrder, 'orderId' | 'symbol' | 'quantityUnit' | 'status'>,
): FeedOrder {
  const { orderId, symbol, quantityUnit, status } = known
  return {
    ...{ orderId, clientOrderId: null, symbol, side: null, positionSide: null, orderType: null },
    ...{ price: null, quantity: null, quantityUnit, filledQuantity: null, averagePrice: null },
    ...{ status, reason: null },
    ...known,
  }
}

export function fillData(
  known: Known<FeedFill, 'fillId' | 'orderId' | 'symbol' | 'quantity' | 'quantityUnit'>,
): FeedFill {
  const { fillId, orderId, symbol, quantity, quantityUnit } = known
  return {
    ...{ fillId, orderId, clientOrderId: null, symbol, side: null, positionSide: null },
    ...{ price: null, quantity, quantityUnit, fee: null, feeCurrency: null, liquidity: null },
    ...{ realizedPnl: null, inferred: false },
    ...known,
  }
}

export function positionData(
  known: Known<StreamPosition, 'symbol' | 'side' | 'quantity'>,
): StreamPosition {
  const { symbol, side, quantity } = known
  return {
    ...{ symbol, side, quantity, contracts: null, entryPrice: null, leverage: null },
    ...{ marginMode: null, unrealizedPnl: null, liquidationPrice: null },
    ...known,
  }
}
