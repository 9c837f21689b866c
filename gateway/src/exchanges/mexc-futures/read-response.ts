import type { UpstreamCall } from '../exchange.ts'
import { codeOf, isRecord, recordsOf } from '../protocol/untrusted.ts'
import type { Verdict } from '../protocol/verdict.ts'
import {
  classOfStatus,
  rejected,
  rejectionOf,
  unknownOutcome,
  wordsOf,
} from '../protocol/verdict.ts'
import { FUTURES_RATE, FUTURES_UNKNOWN, futuresClasses } from './rejection-codes.ts'

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
