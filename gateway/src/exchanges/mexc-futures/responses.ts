import type { RefusalProtocol } from '../adapter.ts'
import type { UpstreamCall } from '../exchange.ts'
import { MEXC_MISREAD } from '../mexc-results.ts'
import {
  type EndedOrder,
  type FoundOrder,
  notDoneOf,
  type OrderKey,
} from '../order-lookup/order-key.ts'
import { product } from '../protocol/decimals.ts'
import { ExchangeRulesUnreadableError } from '../protocol/errors.ts'
import {
  codeOf,
  decimalOf,
  isRecord,
  positiveOf,
  recordsOf,
  smallIntegerOf,
  textOf,
} from '../protocol/untrusted.ts'
import {
  classesByCode,
  classOfStatus,
  rejected,
  rejectionOf,
  unknownOutcome,
  type Verdict,
  wordsOf,
} from '../protocol/verdict.ts'
import type { SymbolRules } from '../symbol-rules.ts'

/** The codes of success. */
const GOOD: ReadonlySet<string> = new Set(['0', '200'])

/**
 * Futures wrap everything in `{ success, code, data, message }`, with HTTP 200 for most rejections
 * too.
 */
export function readFuturesResponse(call: UpstreamCall, status: number, value: unknown): Verdict {
  const words = wordsOf(value)
  const code = words.code ?? ''
  if (isRecord(value) && typeof value.success === 'boolean' && status < 300) {
    const isGood = value.success && (code === '' || GOOD.has(code))
    if (isGood) return readEntries(call, status, value.data)
    if (value.success) return unknownOutcome('It reports success and an error at once', words)
  } else if (status < 300 && code === '') {
    // Oldest pages show market data without an envelope. An order's response always has one.
    if (call.method === 'GET') return { kind: 'ok', data: value }
    return unknownOutcome('Its response has no envelope', words)
  }
  const isSuccess = isRecord(value) && value.success === true
  if (isSuccess || GOOD.has(code)) return unknownOutcome('Its response contradicts itself', words)
  if (FUTURES_RATE.has(code))
    return { kind: 'rate-limited', rejection: rejectionOf('rate', status, words) }
  if (FUTURES_UNKNOWN.has(code)) return unknownOutcome('It reports an internal error', words)
  return rejected(futuresClasses.get(code) ?? classOfStatus(status), status, words)
}

/**
 * `{ success: false, code }` with a whole number (docs/exchanges/mexc.md, 6), or the success around
 * the entries of a cancel that all failed.
 */
export function isFuturesError(value: unknown): boolean {
  if (!isRecord(value) || typeof value.success !== 'boolean') return false
  return value.success || /^\d+$/.test(codeOf(value.code) ?? '')
}

/**
 * A cancel reports success even when every entry failed, so that it is judged by its entries:
 * rejected when none went through, unknown when one of these may have. With some cancelled and some
 * not, the caller reads the list.
 */
function readEntries(call: UpstreamCall, status: number, data: unknown): Verdict {
  if (!/\/order\/(batch_)?cancel(_with_external)?$/.test(call.path)) return { kind: 'ok', data }
  const entries = isRecord(data) ? [data] : recordsOf(data)
  const [failure] = entries
  const isFailure = (entry: Record<string, unknown>) => (codeOf(entry.errorCode) ?? '0') !== '0'
  if (failure === undefined || !entries.every(isFailure)) return { kind: 'ok', data }
  const said = entries.map(({ errorCode: code, errorMsg: message }) => wordsOf({ code, message }))
  // A code of which no character can be read says nothing.
  const trouble = said.find(({ code = '' }) => code === '' || FUTURES_UNKNOWN.has(code))
  if (trouble !== undefined) return unknownOutcome('It reports an internal error', trouble)
  const words = wordsOf({ code: failure.errorCode, message: failure.errorMsg })
  return rejected(futuresClasses.get(words.code ?? '') ?? 'other', status, words)
}

// MEXC documents its codes page by page and not completely; the list is that of
// docs/exchanges/mexc.md, 6. A code that is in no list is a plain rejection.

/** The account has not passed the identity check (docs/exchanges/mexc.md, 6: one source). */
const IDENTITY_CHECK = ['200005', '200006', '300000', '300001']

export const futuresClasses = classesByCode({
  signature: ['602'],
  time: ['513'],
  // 401 means a bad key and for a missing permission.
  key: ['401', '402'],
  ip: ['406'],
  permission: ['506', '511', '701', '702', '703', '704', ...IDENTITY_CHECK],
  parameter: ['600', '601', '2013', '2014', '2030', '2034', '6003', '6004'],
  balance: ['2005', '2018'],
  position: ['2008', '2009', '2043'],
  size: [...['1004', '2003', '2004', '2007', '2011', '2015', '2016', '2028'], ...['2032', '2033']],
  'order-form': [
    ...['2001', '2002', '2022', '2029', '3001', '3002', '3003', '3004'],
    ...['5001', '5002', '5003', '5004'],
  ],
  leverage: [
    ...['1003', '2006', '2019', '2021', '2023', '2024', '2025', '2026', '2027'],
    ...['2031', '2038'],
  ],
  // An account that may not trade futures by API gets 1002 or 6001 too.
  symbol: ['1001', '1002', '6001', '6002', '6005', '11444'],
  limit: ['2036'],
  'order-not-found': ['2040'],
  'order-state': ['2041'],
  // The first order with this externalOid may exist (docs/exchanges/mexc.md, 5: one source, and
  // whether ended orders count too is not established).
  duplicate: ['2042'],
  maintenance: ['604', '801'],
})

/**
 * Of these, 500 also carries maintenance notices and 603 is "repeated request": the order has to be
 * looked up.
 */
export const FUTURES_UNKNOWN: ReadonlySet<string> = new Set([
  '500',
  '501',
  '503',
  '504',
  '603',
  '9999',
])
export const FUTURES_RATE: ReadonlySet<string> = new Set(['429', '510', '2037'])

/** Codes of docs/exchanges/mexc.md, 6, in the class that ccxt 4.5 gives them; 26 is of spot. */
export const refusals: RefusalProtocol = {
  codes: {
    ...{ timeout: 504, authentication: 401, permission: 511, rate: 510, maintenance: 801 },
    // Contract not open for orders.
    ...{ unavailable: 501, 'invalid-order': 1002, failed: 26 },
    'bad-request': 600,
  },
  body: (code, message) => ({ success: false, code, message }),
  misread: MEXC_MISREAD,
}

/**
 * What MEXC futures responds. `create` names the order and its time since 2026-04-25, in place of
 * the bare id before; a cancel has a response entry by entry, that of a trigger order has none.
 */
export function foundResponse(order: OrderKey, found: FoundOrder, nowMs: number): object {
  const { orderId } = found
  if (order.plan !== undefined) return { success: true, code: 0 }
  const data =
    order.action === 'cancel'
      ? [{ ...cancelledEntry(order, found), errorCode: 0, errorMsg: 'success' }]
      : { orderId, ts: nowMs }
  return { success: true, code: 0, data }
}

function cancelledEntry(order: OrderKey, { orderId }: FoundOrder): object {
  const { symbol, clientOrderId } = order
  return order.orderId === undefined ? { symbol, externalOid: clientOrderId, orderId } : { orderId }
}

/** Such an order does not exist, or its state cannot be cancelled (mexc-futures.md, 4.4). */
const FUTURES_CODES = { 'order-not-found': 2040, 'order-state': 2041 } as const

/** What MEXC futures responds to several orders, or cancels: entry by entry, each with a code. */
export function severalResponse(_several: unknown, ended: readonly EndedOrder[]): object {
  return { success: true, code: 0, data: severalData(ended) }
}

function severalData(ended: readonly EndedOrder[]): object[] {
  return ended.map((entry) => {
    const { order, end } = entry
    const notDone = notDoneOf(entry)
    const orderId = end === 'absent' ? order.orderId : end.orderId
    const isByOwn = order.action === 'cancel' && order.orderId !== undefined
    const { symbol, clientOrderId: externalOid } = order
    return {
      ...(isByOwn ? {} : { externalOid }),
      ...(isByOwn || order.action !== 'cancel' ? {} : { symbol }),
      orderId: orderId ?? '',
      errorCode: notDone === undefined ? 0 : FUTURES_CODES[notDone.class],
      errorMsg: notDone?.text ?? 'success',
    }
  })
}

const contractStates: Readonly<Record<string, string>> = {
  '1': 'is being delivered',
  '2': 'has been delivered',
  '3': 'is offline at the exchange',
  '4': 'is paused by the exchange',
}

/** Rules of a contract from `contract/detail`, turned from contracts into the base coin. */
export function readContractRules(symbol: string, data: unknown): SymbolRules | undefined {
  const entries = isRecord(data) ? [data] : recordsOf(data)
  const entry = entries.find((candidate) => candidate.symbol === symbol)
  if (entry === undefined) return undefined
  const contractSize = positiveOf(entry.contractSize)
  const priceTick = positiveOf(entry.priceUnit)
  const baseCoin = textOf(entry.baseCoin)
  const quoteCoin = textOf(entry.quoteCoin)
  if (
    contractSize === undefined ||
    priceTick === undefined ||
    baseCoin === undefined ||
    quoteCoin === undefined
  ) {
    throw new ExchangeRulesUnreadableError('MEXC', symbol)
  }
  const volStep = positiveOf(entry.volUnit) ?? '1'
  const maxVol = positiveOf(entry.maxVol)
  const minLeverage = smallIntegerOf(entry.minLeverage)
  const maxLeverage = smallIntegerOf(entry.maxLeverage)
  return {
    symbol,
    market: 'futures',
    baseCoin,
    quoteCoin,
    ...contractState(entry),
    contractSize,
    sizeStep: product(volStep, contractSize),
    minSize: product(positiveOf(entry.minVol) ?? volStep, contractSize),
    ...(maxVol === undefined ? {} : { maxSize: product(maxVol, contractSize) }),
    priceTick,
    ...(minLeverage === undefined ? {} : { minLeverage }),
    ...(maxLeverage === undefined ? {} : { maxLeverage }),
  }
}

function contractState(entry: Record<string, unknown>): Pick<SymbolRules, 'tradable' | 'whyNot'> {
  if (entry.apiAllowed === false) return { tradable: false, whyNot: 'is closed to API trading' }
  const state = decimalOf(entry.state) ?? '0'
  if (state !== '0') {
    return { tradable: false, whyNot: contractStates[state] ?? 'is not open for orders' }
  }
  // One contract of a coin-margined symbol is an amount of the quote coin; sizes in the base coin
  // have no fixed meaning.
  if (entry.settleCoin !== undefined && entry.settleCoin !== entry.quoteCoin) {
    return {
      tradable: false,
      whyNot: `is settled in ${textOf(entry.settleCoin) ?? 'its base coin'}; order it by contracts through /mx/api/v1/private/order/create`,
    }
  }
  return { tradable: true }
}
