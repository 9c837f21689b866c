import type { ClientLimits, ExchangeCode, StoredStreamType, StreamMarket, StreamType } from 'schema'

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

/** The filter of a bot. Undefined: all. */
export interface StreamFilter {
  readonly exchanges: readonly ExchangeCode[]
  readonly markets: ReadonlySet<StreamMarket> | undefined
  /** As `plainSymbol` makes them. */
  readonly symbols: ReadonlySet<string> | undefined
  readonly types: ReadonlySet<StreamType> | undefined
}

export interface StreamReader {
  readonly clientRef: number
  readonly limits: ClientLimits | null
  readonly filter: StreamFilter
}

/** `BTCUSDT` and `BTC_USDT` are the same to a filter. */
export const plainSymbol = (symbol: string): string => symbol.toUpperCase().replaceAll('_', '')

/**
 * Whether a bot gets an event: its filter and its client's limits allow it, and the order is not of
 * another client with the same key. States are always sent, because a bot has to know when events
 * may be missing.
 */
export function canSee(
  event: NewStreamEvent,
  { clientRef, limits, filter }: StreamReader,
): boolean {
  const { type, market, symbol, ownerRef } = event
  if (ownerRef !== null && ownerRef !== clientRef) return false
  const { markets, symbols, types } = filter
  if (types?.has(type) === false && type !== 'state') return false
  // The state of a unified account is that of each of its markets.
  if (markets?.has(market) === false && !(type === 'state' && market === 'unified')) return false
  if (symbol !== null && symbols?.has(plainSymbol(symbol)) === false) return false
  return isWithin(limits, market, symbol)
}

/** Whether a client's limits cover a market, and a symbol of it. */
export function isWithin(
  limits: ClientLimits | null,
  market: StreamMarket,
  symbol: string | null,
): boolean {
  if (limits === null || limits.mode === 'shadow') return true
  const { markets, symbols } = limits
  if (markets !== null && market !== 'unified' && !markets.includes(market)) return false
  if (symbols === null || symbol === null) return true
  return symbols.some((pattern) => matchesSymbol(pattern, symbol))
}

function matchesSymbol(pattern: string, symbol: string): boolean {
  return pattern.endsWith('*') ? symbol.startsWith(pattern.slice(0, -1)) : symbol === pattern
}

/** An event is sent to many bots, so most of its text is made once. */
const texts = new WeakMap<NewStreamEvent, string>()

/** The text of an event, as `StreamEvent` of the catalogue. */
export function textOf(id: string, event: NewStreamEvent, clientRef: number): string {
  let text = texts.get(event)
  if (text === undefined) {
    const { receivedAtMs, source, type, exchange, market, accountRef, timeMs, data } = event
    const head = {
      ...{ receivedAt: receivedAtMs, source, type, exchange, market },
      ...{ account: `${accountRef}`, time: timeMs },
    }
    text = `,${JSON.stringify(head).slice(1, -1)},"data":${data.slice(0, -1)}`
    texts.set(event, text)
  }
  const isOrder = event.type === 'order' || event.type === 'fill'
  const mine = isOrder ? `,"mine":${event.ownerRef === clientRef}` : ''
  return `{"id":"${id}"${text}${mine}}}`
}
