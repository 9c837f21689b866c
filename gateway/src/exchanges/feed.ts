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

/** What the journal adds to an order or fill. */
type Joined = 'requestId' | 'idempotencyKey' | 'mine'
export type FeedOrder = Omit<StreamOrder, Joined>
export type FeedFill = Omit<StreamFill, Joined>

/**
 * What an exchange says of an account, in one form for all APIs, whether it was pushed or read.
 * Amounts are the exchange's own digits.
 */
export type AccountEvent = {
  readonly market: StreamMarket
  /** The exchange's time, whole Unix ms; null where it does not say it. */
  readonly timeMs: number | null
} & (
  | {
      readonly type: 'order'
      readonly data: FeedOrder
      /** By what the order is looked up and cancelled. */
      readonly key: OrderKey
      /** Rises with each state of the order, where the exchange counts them. */
      readonly version?: string
      /** Bitget unified: the `requestId` of the change that made this state. */
      readonly changeId?: string
      /** No place of the exchange has it any more: it has ended, and settles no request. */
      readonly isGone?: true
    }
  | { readonly type: 'fill'; readonly data: FeedFill }
  | {
      readonly type: 'position'
      readonly data: StreamPosition
      readonly version?: string
      /** Bitget: as in `Whole`; two of them may have a symbol of the same name. */
      readonly productType?: string
    }
  | { readonly type: 'balance'; readonly data: StreamBalance }
)

/**
 * A set of things of which somebody gave all: what is not among them is not there. Open orders that
 * are missing have ended in a way that has to be asked; positions that are missing are closed;
 * balances that are missing are zero.
 */
export interface Whole {
  readonly of: 'order' | 'position' | 'balance'
  readonly market: StreamMarket
  /**
   * Bitget futures, and its unified account: the product type or category, in capital letters, as
   * the keys of these orders have it in any case. Absent: all of the market.
   */
  readonly productType?: string
  /** Absent: of all symbols. */
  readonly symbol?: string
  /** Of trigger orders in a list of their own, as in OrderKey; absent: of all other orders. */
  readonly plan?: string
  /** When it was so, by the exchange's clock, Unix ms; absent: not said. */
  readonly timeMs?: number
}

/** What a frame of an exchange means. */
export type FeedFrame =
  | { readonly kind: 'pong' }
  | { readonly kind: 'loggedIn' }
  /** `isKey`: the keys are the reason, so another try will fail too. The message has no secret. */
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
      /** Where it is for bots alone, and makes no events: what it is about, for who may see it. */
      readonly about?: readonly AccountEvent[]
      readonly whole?: Whole
    }
  /** Known to exist, and of no use here. */
  | { readonly kind: 'passedOver'; readonly channel: string }
  | { readonly kind: 'unreadable'; readonly why: string }

/** A read that shows a part of an account, to close a gap. */
export interface RepairRead {
  readonly call: UpstreamCall
  /** @throws ExchangeResponseUnclearError: a read that cannot be understood proves nothing */
  readonly read: (data: unknown) => readonly AccountEvent[]
  /** Set when its events, with those of the pages after it, are all of these. */
  readonly whole?: Whole
  /** The next page; absent, or undefined for its data: this was the last. */
  readonly next?: (data: unknown) => RepairRead | undefined
}

/** What of an account has to be read. */
export interface RepairScope {
  /** Fills are read from then on: 60 s before the last frame. Exchange time, Unix ms. */
  readonly fillsSinceMs: number
  readonly nowMs: number
  /**
   * Symbols with orders of the gateway's clients, as the exchange spells them: MEXC, and Bitget's
   * classic spot, list fills by symbol.
   */
  readonly symbols: Readonly<Record<Market, readonly string[]>>
  /** Bitget: what is in use (`SPOT`, `USDT-FUTURES`); the others are not read. */
  readonly productTypes: readonly string[]
}

/** MEXC spot: the key in the URL of its feed. All four calls are signed. */
export interface ListenKeyProtocol {
  readonly create: () => UpstreamCall
  readonly read: (data: unknown) => string
  readonly extend: (listenKey: string) => UpstreamCall
  readonly remove: (listenKey: string) => UpstreamCall
  readonly extendEveryMs: number
}

/** The private feed of one API: what the gateway sends on its socket, and what frames mean. */
export interface FeedProtocol {
  readonly name: FeedName
  readonly family: Family
  /** Bitget: the accounts that have it. An account of the other kind can log in, and is silent. */
  readonly accountKind?: AccountKind
  /** What its `state` events are about; the first is where it has one market. */
  readonly markets: readonly StreamMarket[]
  /** Path and query of the socket. @param listenKey where `listenKeys` is present */
  readonly pathOf: (listenKey?: string) => string
  readonly listenKeys?: ListenKeyProtocol
  /** The frame that signs in; absent where the listen key does. @param nowMs exchange time */
  readonly login?: (keys: ExchangeKeys, nowMs: number) => string
  /** Frames to send once signed in; absent where everything comes without asking. */
  readonly subscribe: readonly string[]
  /** The channels of those frames, as `subscribed` names them. */
  readonly channels: readonly string[]
  readonly ping: string
  readonly pingEveryMs: number
  /** Nothing came for so long, not even a pong: the connection is dead. */
  readonly silentAfterMs: number
  /** The exchange closes a connection after this; the next one begins an hour earlier. */
  readonly lifeMs: number
  /** @param data text of a text frame, bytes of a binary one */
  readonly read: (data: string | Buffer) => FeedFrame
  /**
   * What the feed would say of an order that a look-up found (`FoundOrder.order`).
   * @param key by which it was looked up
   * @throws ExchangeResponseUnclearError
   */
  readonly readOrder: (row: Row, key: OrderKey) => AccountEvent
  readonly repairReads: (scope: RepairScope) => readonly RepairRead[]
}

// What the readers of all feeds have in common.

/** What an exchange wrote about one thing, in a push or in a response. */
export type Row = Readonly<Record<string, unknown>>

/** A row, or a frame, lacks what an event cannot be made without. */
class UnreadableError extends Error {}

/** @throws UnreadableError, which `inFrame` and `inResponse` expect */
export function needed<T>(value: T | undefined, what: string): T {
  return value === undefined ? unreadable(what) : value
}

/** The same of what is there, and is not what it has to be. */
export function unreadable(what: string): never {
  throw new UnreadableError(`It has no ${what} that can be read`)
}

/** What `read` makes of a frame; a row that cannot be read makes all of it unreadable. */
export function inFrame(read: () => FeedFrame): FeedFrame {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableError) return { kind: 'unreadable', why: error.message }
    throw error
  }
}

/** The same of a response. */
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

/** The rows of a list. @throws UnreadableError when it is none, or has anything else */
export function rowsOf(list: unknown): Row[] {
  return Array.isArray(list) && list.every(isRecord) ? list : unreadable('list of rows')
}

/** What a word of the exchange means; undefined for one that is not in the table. */
export function meaningOf<T>(words: Readonly<Record<string, T>>, word: unknown): T | undefined {
  const name = textOf(word) ?? ''
  return Object.hasOwn(words, name) ? words[name] : undefined
}

const NAME_CHARACTERS_MAX = 100

/** An id or a name; undefined where there is none, or one that no exchange has. */
export function nameOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && text.length <= NAME_CHARACTERS_MAX ? text : undefined
}

/** The exchange's own digits, never with an exponent; null: it says none. */
export function amountOf(value: unknown): string | null {
  const decimal = decimalOf(value)
  const text = textOf(value)
  if (decimal === undefined || text === undefined) return null
  return /e/i.test(text) ? decimal : text
}

/** The same; null for zero too, which exchanges write where there is nothing. */
export function amountAboveZero(value: unknown): string | null {
  return positiveOf(value) === undefined ? null : amountOf(value)
}

/** The same of a profit, which may be negative: what opens has a zero there. */
export function profitOf(value: unknown): string | null {
  const amount = amountOf(value)
  return amount === null || Number(amount) === 0 ? null : amount
}

/**
 * A fee as our events have it, positive where it was paid, of an exchange that writes the opposite.
 * A taker always pays, and samples of some pages have that as positive [?].
 */
export function turnedFee(value: unknown, liquidity: FeedFill['liquidity']): string | null {
  const amount = amountOf(value)
  if (amount === null) return null
  if (amount.startsWith('-')) return amount.slice(1)
  return liquidity === 'taker' ? amount : product(amount, '-1').replace(/^-0$/, '0')
}

/** The first time that can be true. */
export function timeOf(...values: readonly unknown[]): number | null {
  return values.map(unixMsOf).find((timeMs) => timeMs !== undefined) ?? null
}

type Known<Data, Name extends keyof Data> = Pick<Data, Name> & Partial<Data>

// In the order of the contract; what is not known is null.

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
