import type { RefusalProtocol } from '../adapter.ts'
import type { UpstreamCall } from '../exchange.ts'
import { MEXC_MISREAD } from '../mexc-results.ts'
import {
  type EndedOrder,
  type FoundOrder,
  notDoneOf,
  type OrderKey,
} from '../order-lookup/order-key.ts'
import { stepOfDecimals } from '../protocol/decimals.ts'
import { ExchangeRulesUnreadableError } from '../protocol/errors.ts'
import {
  codeOf,
  isRecord,
  positiveOf,
  recordsOf,
  smallIntegerOf,
  textOf,
} from '../protocol/untrusted.ts'
import {
  classesByCode,
  classOfStatus,
  type ExchangeWords,
  type RejectionClass,
  rejected,
  rejectionOf,
  unknownOutcome,
  type Verdict,
  wordsOf,
} from '../protocol/verdict.ts'
import type { SymbolRules } from '../symbol-rules.ts'

/** The codes of success, where a response has a code. */
const GOOD: ReadonlySet<string | undefined> = new Set(['0', '200'])

/** Spot responds with a bare object or list, and `{ code, msg }` when it rejects. */
export function readSpotResponse(call: UpstreamCall, status: number, value: unknown): Verdict {
  const words = wordsOf(value)
  const isError = words.code !== undefined && !GOOD.has(words.code)
  if (status < 300 && !(isError && isRecord(value) && 'msg' in value)) {
    if (call.method === 'GET' || isDone(call, value)) return { kind: 'ok', data: value }
    return unknownOutcome('Its response does not say what was done', words)
  }
  const hasOrder = isRecord(value) && textOf(value.orderId) !== undefined
  if (!isError && (hasOrder || GOOD.has(words.code)))
    return unknownOutcome('Its response contradicts itself', words)
  if (words.code !== undefined) {
    if (SPOT_RATE.has(words.code))
      return { kind: 'rate-limited', rejection: rejectionOf('rate', status, words) }
    if (SPOT_UNKNOWN.has(words.code)) return unknownOutcome('It reports an internal error', words)
  }
  return rejected(spotClasses.get(words.code ?? '') ?? classOfWords(status, words), status, words)
}

/**
 * `{ code, msg }` with a whole number (docs/exchanges/mexc.md, 6). A comment in ccxt 4.5.84 shows
 * `{ success: false, code, message }` too [?].
 */
export function isSpotError(value: unknown): boolean {
  if (!isRecord(value) || !/^-?\d+$/.test(codeOf(value.code) ?? '')) return false
  return 'msg' in value || value.success === false
}

/**
 * Spot has no envelope: the form alone shows that a response is its own. That of an order or
 * its cancel names the order (docs/exchanges/mexc.md, 3.3).
 */
function isDone({ path }: UpstreamCall, value: unknown): boolean {
  if (path === '/api/v3/order') return isRecord(value) && textOf(value.orderId) !== undefined
  return typeof value === 'object' && value !== null
}

/**
 * No code for a client order id that is taken is documented, nor that there is one [?]
 * (docs/exchanges/mexc.md, 5). A rejection that says so in words leaves in doubt whether the order
 * exists.
 */
function classOfWords(status: number, { message }: ExchangeWords): RejectionClass {
  const byStatus = classOfStatus(status)
  return byStatus === 'other' && /duplicate/i.test(message) ? 'duplicate' : byStatus
}

// MEXC documents its codes page by page and not completely; the list is that of
// docs/exchanges/mexc.md, 6. A code that is in no list is a plain rejection.

export const spotClasses = classesByCode({
  signature: ['700002', '602'],
  time: ['700003', '700005', '10073'],
  key: ['400', '10072', '700001'],
  ip: ['700006'],
  // 700011: the interface is closed to the key.
  permission: ['401', '403', '26', '700007', '700011', '730100'],
  parameter: ['33333', '44444', '700004', '700008', '700013', '730002', '-1128'],
  balance: ['10101', '30004', '30005'],
  size: ['30002', '30003', '30010', '30087'],
  'order-form': ['30041'],
  // 10007 also means a symbol that is closed to the API; 30000 is a suspended symbol as
  // well as maintenance.
  symbol: [
    ...['10007', '30000', '30001', '30014', '30016', '30018', '30019', '30020', '30021'],
    ...['70011', '60005', '730001', '-1121'],
    // Buying or selling of the coin is suspended.
    ...['30027', '30028'],
  ],
  limit: ['30029', '30032'],
  'order-not-found': ['-2011', '-2013', '30026', '22222'],
})

/** Codes in a spot body after which the order may exist. */
export const SPOT_UNKNOWN: ReadonlySet<string> = new Set([
  ...['500', '503', '504'],
  // "Internal system error" and "request failed", which say nothing about the order [?].
  ...['20002', '730000'],
])
export const SPOT_RATE: ReadonlySet<string> = new Set(['429'])

/** Codes of docs/exchanges/mexc.md, 6, in the class that ccxt 4.5 gives them; 801 is of futures. */
export const refusals: RefusalProtocol = {
  codes: {
    ...{ timeout: 504, authentication: 401, permission: 403, rate: 429, maintenance: 801 },
    // Cannot exceed the maximum order limit; operation not allowed.
    ...{ unavailable: 503, 'invalid-order': 30029, failed: 26 },
    'bad-request': 400,
  },
  body: (code, msg) => ({ code, msg }),
  misread: MEXC_MISREAD,
}

/**
 * What MEXC spot responds to an order, which does not repeat the client order id, or to a cancel,
 * which is the order itself. What a feed said of an order has fewer fields than a look-up finds.
 */
export function foundResponse(order: OrderKey, found: FoundOrder, nowMs: number): object {
  const { orderId, order: row = {} } = found
  const { terms = {} } = order
  if (order.action === 'cancel') {
    const said = found.order ?? { status: 'CANCELED', executedQty: found.filledSize }
    return { symbol: order.symbol, ...said, orderId, origClientOrderId: found.clientOrderId }
  }
  return {
    symbol: order.symbol,
    orderId,
    orderListId: -1,
    price: row.price ?? terms.price,
    origQty: row.origQty ?? terms.size,
    type: row.type,
    side: row.side ?? terms.side?.toUpperCase(),
    stpMode: row.stpMode,
    transactTime: row.time ?? nowMs,
  }
}

/** Order does not exist (docs/exchanges/mexc.md, 6). */
const SPOT_NOT_FOUND = -2013

/**
 * What MEXC spot responds to several orders: each with its id, or with the reason that it has none.
 */
export function severalResponse(_several: unknown, ended: readonly EndedOrder[]): object[] {
  return ended.map((entry) => {
    const { order, end } = entry
    const notDone = notDoneOf(entry)
    const newClientOrderId = order.clientOrderId
    if (notDone !== undefined || end === 'absent')
      return { newClientOrderId, msg: notDone?.text, code: SPOT_NOT_FOUND }
    return { symbol: order.symbol, orderId: end.orderId, newClientOrderId, orderListId: -1 }
  })
}

/**
 * Rules of a spot pair from `exchangeInfo`. The names `baseSizePrecision` and
 * `quoteAmountPrecision` mislead: they are the smallest quantity and the smallest value.
 */
export function readSpotRules(symbol: string, data: unknown): SymbolRules | undefined {
  const entry = recordsOf(isRecord(data) ? data.symbols : undefined).find(
    (candidate) => candidate.symbol === symbol,
  )
  if (entry === undefined) return undefined
  const sizeDecimals = smallIntegerOf(entry.baseAssetPrecision)
  const priceDecimals = smallIntegerOf(entry.quoteAssetPrecision)
  const baseCoin = textOf(entry.baseAsset)
  const quoteCoin = textOf(entry.quoteAsset)
  if (
    sizeDecimals === undefined ||
    priceDecimals === undefined ||
    baseCoin === undefined ||
    quoteCoin === undefined
  ) {
    throw new ExchangeRulesUnreadableError('MEXC', symbol)
  }
  const sizeStep = stepOfDecimals(sizeDecimals)
  const minValue = positiveOf(entry.quoteAmountPrecision)
  const maxValue = positiveOf(entry.maxQuoteAmount)
  return {
    symbol,
    market: 'spot',
    baseCoin,
    quoteCoin,
    ...spotState(entry),
    ...openTypes(entry.orderTypes),
    minSize: positiveOf(entry.baseSizePrecision) ?? sizeStep,
    sizeStep,
    priceTick: stepOfDecimals(priceDecimals),
    ...(minValue === undefined ? {} : { minValue }),
    ...(maxValue === undefined ? {} : { maxValue }),
  }
}

/**
 * The types of orders differ by symbol: some pairs take no market orders (docs/exchanges/mexc.md,
 * 3.1). A list without any known type says nothing.
 */
function openTypes(value: unknown): Pick<SymbolRules, 'orderTypes'> {
  if (!Array.isArray(value)) return {}
  const listed = (['limit', 'market'] as const).filter((type) => value.includes(type.toUpperCase()))
  return listed.length === 0 ? {} : { orderTypes: listed }
}

function spotState(
  entry: Record<string, unknown>,
): Pick<SymbolRules, 'tradable' | 'whyNot' | 'onlySide'> {
  const status = textOf(entry.status)
  if (status === '2') return { tradable: false, whyNot: 'is paused by the exchange' }
  if (status === '3') return { tradable: false, whyNot: 'is offline at the exchange' }
  // Older pages write words where newer ones write numbers.
  if (!['1', 'ENABLED', 'TRADING'].includes(status ?? '') || entry.isSpotTradingAllowed === false) {
    return { tradable: false, whyNot: 'is not open for spot orders' }
  }
  switch (textOf(entry.tradeSideType)) {
    case '2':
      return { tradable: true, onlySide: 'buy' }
    case '3':
      return { tradable: true, onlySide: 'sell' }
    case '4':
      return { tradable: false, whyNot: 'is closed for both sides' }
    default:
      return { tradable: true }
  }
}
