import { createHmac } from 'node:crypto'
import type { bgFuturesTicker, bgSpotOrderbook, bgSpotTickers, QueryOf } from 'schema'
import {
  type EffectFields,
  type LeverageEffect,
  leverageIn,
  type MarginEffect,
  nameIn,
  type OrderEffect,
  positiveIn,
  requiredName,
  requiredPositive,
  requiredWord,
  unclear,
  wordIn,
} from '../call-effect.ts'
import {
  bodyTypeOf,
  type ExchangeKeys,
  readOf,
  type SignedRequest,
  type UpstreamCall,
} from '../exchange.ts'
import { type OrderCallForm, toOrderCall } from '../order-lookup/order-call.ts'
import type { FoundOrder, Lookup, OrderCall, OrderKey } from '../order-lookup/order-key.ts'
import {
  historyWindow,
  type ListOptions,
  listLookup,
  lookupCall,
  type Rows,
  type Search,
} from '../order-lookup/search.ts'
import { OrderIdMissingError } from '../protocol/errors.ts'
import {
  decodeText,
  percentEncode,
  type QueryValues,
  queryOf,
  sortedByName,
  targetOf,
} from '../protocol/query-text.ts'
import { isRecord, textOf } from '../protocol/untrusted.ts'

/** The one product type and margin coin that the documented routes speak of. */
export const PRODUCT_TYPE = 'USDT-FUTURES'
export const MARGIN_COIN = 'USDT'

/** A question about the account, signed. */
export function readCall(path: string, values: QueryValues): UpstreamCall {
  return readOf('bitget', path, queryOf(values, encodeForBitget))
}

/** A question about the market, which needs no key. */
export function marketCall(path: string, query: QueryValues): UpstreamCall {
  return { ...readCall(path, query), signed: false }
}

/**
 * An order or a setting; the body is serialised once: this text is signed and sent. Absent values
 * are left out.
 */
export function tradeCall(path: string, body: object): UpstreamCall {
  return {
    family: 'bitget',
    method: 'POST',
    path,
    query: '',
    body: JSON.stringify(body),
    signed: true,
  }
}

/** A call about one order, and how that can be found again. */
export function orderCall(
  path: string,
  form: OrderCallForm,
  body: Record<string, string | undefined>,
): OrderCall {
  return toOrderCall('bg', tradeCall(path, body), form, body)
}

/**
 * Which order is meant; the exchange's id wins, as at Bitget itself.
 * @throws OrderIdMissingError
 */
export function orderRef(ref: {
  orderId?: string
  clientOid?: string
}): { orderId: string } | { clientOid: string } {
  if (ref.orderId !== undefined) return { orderId: ref.orderId }
  if (ref.clientOid !== undefined) return { clientOid: ref.clientOid }
  throw new OrderIdMissingError('orderId or clientOid')
}

export function spotTickersCall({ symbol }: QueryOf<typeof bgSpotTickers>): UpstreamCall {
  return marketCall('/api/v2/spot/market/tickers', { symbol })
}

export function futuresTickerCall(query: QueryOf<typeof bgFuturesTicker>): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE } = query
  return marketCall('/api/v2/mix/market/ticker', { productType, symbol })
}

export function spotOrderbookCall(query: QueryOf<typeof bgSpotOrderbook>): UpstreamCall {
  const { symbol, type, limit } = query
  return marketCall('/api/v2/spot/market/orderbook', { symbol, type, limit })
}

/**
 * Signs a Bitget v2 or v3 call: time, method, path, query and body. Bitget verifies over the
 * decoded query, so the raw text is signed while the URL carries the encoded one (ccxt issue 28888,
 * Bitget.Net issue 48). What is sent is in the order that is signed, by name (ccxt pull request
 * 29094).
 * @param timestampMs the exchange's time, not ours; it may be 30 s off
 */
export function signBitget(
  call: UpstreamCall,
  keys: ExchangeKeys,
  timestampMs: number,
): SignedRequest {
  const query = sortedByName(call.query)
  const signed = targetOf(call.path, query.split('&').map(decodeText).join('&'))
  // A POST without parameters is sent and signed as an empty object.
  const body = call.method === 'POST' ? (call.body ?? '{}') : call.body
  const signature = createHmac('sha256', keys.apiSecret)
    .update(`${timestampMs}${call.method}${signed}${body ?? ''}`)
    .digest('base64')
  return {
    method: call.method,
    url: targetOf(call.path, query),
    headers: {
      'ACCESS-KEY': keys.apiKey,
      'ACCESS-SIGN': signature,
      'ACCESS-TIMESTAMP': `${timestampMs}`,
      'ACCESS-PASSPHRASE': keys.passphrase ?? '',
      ...(body === null ? {} : { 'Content-Type': bodyTypeOf(call) }),
      ...bitgetHeaders(call),
    },
    body,
  }
}

/** What changes the meaning of a call without being part of its signature. */
export function bitgetHeaders({ demo, locale }: UpstreamCall): Record<string, string> {
  return {
    ...(demo === true ? { paptrading: '1' } : {}),
    ...(locale === undefined ? {} : { locale }),
  }
}

/** Percent-encodes all but `$`, with which some symbols begin (docs/exchanges/bitget.md, 2). */
export function encodeForBitget(text: string): string {
  return percentEncode(text).replaceAll('%24', '$')
}

// What the orders of both kinds of accounts have in common, read back from their text.

export const SIDES = ['buy', 'sell'] as const

/** The bot's own deadline (docs/exchanges/bitget.md, 2). */
export const TIMES = 'requestTime receiveWindow'

/** What is the same in every take profit, stop loss, close and change. */
export const KEPT = { side: undefined, size: undefined, price: undefined } as const

export function isMarketOrder(fields: EffectFields): boolean {
  return requiredWord(fields, 'orderType', ['limit', 'market']) === 'market'
}

/** The price, and whether the order may stay open. @param forceName the field of its force */
export function priceOf(
  fields: EffectFields,
  forceName: string,
): Pick<OrderEffect, 'price' | 'rests'> {
  const force = wordIn(fields, forceName, ['gtc', 'post_only', 'fok', 'ioc'])
  if (isMarketOrder(fields)) return { price: undefined, rests: false }
  return {
    price: requiredPositive(fields, 'price'),
    rests: force !== 'fok' && force !== 'ioc',
  }
}

/** The price of a trigger order. Libraries write it a second time, by the name of another call. */
export function agreedPrice(fields: EffectFields, name: string, otherName: string): string {
  const price = requiredPositive(fields, name)
  const other = positiveIn(fields, otherName)
  if (other !== undefined && other !== price) throw unclear(otherName)
  return price
}

/** The size of a spot order: a market buy spends an amount of the quote coin. */
export function spotSizeOf(
  fields: EffectFields,
  sizeName: string,
): Pick<OrderEffect, 'size' | 'quoteSize'> {
  const size = requiredPositive(fields, sizeName)
  const spends = isMarketOrder(fields) && requiredWord(fields, 'side', SIDES) === 'buy'
  return spends ? { size: undefined, quoteSize: size } : { size }
}

/** The greatest leverage counts: which of them the account uses depends on its modes. */
export function readLeverage(fields: EffectFields): LeverageEffect {
  const given = ['leverage', 'longLeverage', 'shortLeverage'].flatMap(
    (name) => leverageIn(fields, name) ?? [],
  )
  return {
    kind: 'leverage',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    leverage: given.length === 0 ? undefined : Math.max(...given),
  }
}

export function readMargin(fields: EffectFields): MarginEffect {
  return { kind: 'margin', market: 'futures', symbol: requiredName(fields, 'symbol') }
}

const DAY_MS = 86_400_000
/** What a list has at most. */
export const LIMIT = 100
/** Histories reach back 90 days; a day is left for clocks. */
const HISTORY_SPAN_MS = 89 * DAY_MS

export const orderList: Rows = (data) => (Array.isArray(data) ? data : undefined)

export const oneOrderRows: Rows = (data) =>
  isRecord(data) && 'orderId' in data ? [data] : undefined

/** The list is null when it is empty. */
export const listIn =
  (name: string): Rows =>
  (data) => {
    const list = isRecord(data) && name in data ? (data[name] ?? []) : undefined
    return Array.isArray(list) ? list : undefined
  }

/**
 * Lists are narrowed by what does not depend on the client order id, so that they are a second way.
 */
export function listQueries({ order, sentAtMs, narrowing }: Search, nowMs: number) {
  const { isWhole, ...times } = historyWindow(order, sentAtMs, nowMs, HISTORY_SPAN_MS)
  const base: Record<string, string | number | undefined> = {
    symbol: narrowing.symbol,
    orderId: narrowing.orderId,
    limit: LIMIT,
  }
  const open = order.action === 'cancel' ? base : { ...base, ...times }
  return { isWhole, open, past: { ...base, ...times } }
}

/** A signed question in the account of the order; absent values are left out. */
export function bitgetLookupCall(order: OrderKey, path: string, values: QueryValues) {
  return lookupCall(order, path, values, encodeForBitget)
}

/**
 * A list of v2, newest first, with its pages: the next one has the orders before the last id of
 * this one (docs/exchanges/bitget.md, 3 and 4).
 * @param callOf the call for a page
 */
export function pagesById(
  search: Search,
  callOf: (before: { readonly idLessThan?: string }) => UpstreamCall,
  options: Pick<ListOptions, 'rows' | 'isWhole'>,
): Lookup {
  return listLookup(search, callOf({}), {
    ...options,
    limit: LIMIT,
    after(_data, { orderId }) {
      const idLessThan = textOf(orderId)
      return idLessThan === undefined ? undefined : callOf({ idLessThan })
    },
  })
}

/** The words of v2 and v3, old and new (docs/exchanges/bitget.md, 3.3; bitget-unified.md, 6). */
export const STATES: Readonly<Record<string, FoundOrder['state']>> = {
  init: 'open',
  new: 'open',
  live: 'open',
  partially_filled: 'partially-filled',
  filled: 'filled',
  full_fill: 'filled',
  cancelled: 'cancelled',
  canceled: 'cancelled',
}
