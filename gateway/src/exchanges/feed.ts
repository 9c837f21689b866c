import type { StreamBalance, StreamFill, StreamMarket, StreamOrder, StreamPosition } from 'schema'
import type { ExchangeKeys, Family, UpstreamCall } from './exchange.ts'
import type { OrderKey } from './order-lookup/order-key.ts'

/** The private WebSocket feeds. Bitget has one for each kind of account. */
export const FEED_NAMES = [
  ...(['mexc-spot', 'mexc-futures', 'bitget-classic', 'bitget-unified'] as const),
] as const
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
      /** As in the `Whole` that has it; absent: that of all of the market has it. */
      readonly productType?: string
    }
  | { readonly type: 'balance'; readonly data: StreamBalance }
)

/**
 * A set of things of which somebody gave all: what is not among them is not there. `open orders`
 * that are missing have ended in a way that has to be asked; positions that are missing are closed;
 * balances that are missing are zero.
 */
export interface Whole {
  readonly of: 'order' | 'position' | 'balance'
  readonly market: StreamMarket
  /** Bitget: the product type, in capital letters; absent: all of the market. */
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
      /** As the gateway subscribed to it: with `channelOf` of a bot's subscription it is compared. */
      readonly channel: string
      readonly events: readonly AccountEvent[]
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
  /** Symbols of spot with orders of the gateway's clients: MEXC lists fills by symbol. */
  readonly symbols: readonly string[]
  /** Markets and product types in use; the others are not read. */
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
  readonly read: (data: string | Buffer) => FeedFrame
  readonly repairReads: (scope: RepairScope) => readonly RepairRead[]
  /**
   * An order as a look-up found it (`FoundOrder.order`), as the feed would say it.
   * @throws ExchangeResponseUnclearError
   */
  readonly readOrder: (row: Readonly<Record<string, unknown>>, key: OrderKey) => AccountEvent
}
