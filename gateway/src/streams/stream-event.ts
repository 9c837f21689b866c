import type { ExchangeCode, StoredStreamType, StreamMarket } from 'schema'

/** The client and request of an order, from the journal. */
export interface OrderOwner {
  readonly clientRef: number
  readonly requestId: string | null
  readonly idempotencyKey: string | null
  readonly clientOrderId: string | null
}

/** An event of an account, joined with the journal, before it gets its number. */
export interface NewStreamEvent {
  /** The account, by `accountRefOf` of the keys that its socket uses. */
  readonly accountRef: number
  /** The client that placed the order; null: placed by hand, or the event has no order. */
  readonly ownerRef: number | null
  readonly type: StoredStreamType
  readonly exchange: ExchangeCode
  readonly market: StreamMarket
  /** Null for balances and states. */
  readonly symbol: string | null
  readonly timeMs: number | null
  readonly receivedAtMs: number
  readonly source: 'stream' | 'rest' | 'journal'
  /** JSON of the event's `data` for its owner, without `mine`. */
  readonly data: string
  /**
   * JSON of what the gateway itself needs to know after a restart, and sends to nobody: of an order
   * its OrderKey, of a position its product type (`keyTextOf`); null of the rest.
   */
  readonly key: string | null
}

/** An event that is on the disk. */
export interface StoredStreamEvent extends NewStreamEvent {
  /** Rises with each event of the gateway, across restarts and takeovers. */
  readonly seq: number
}
