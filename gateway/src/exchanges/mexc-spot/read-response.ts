import type { UpstreamCall } from '../exchange.ts'
import { codeOf, isRecord, textOf } from '../protocol/untrusted.ts'
import type { ExchangeWords, RejectionClass, Verdict } from '../protocol/verdict.ts'
import {
  classOfStatus,
  rejected,
  rejectionOf,
  unknownOutcome,
  wordsOf,
} from '../protocol/verdict.ts'
import { SPOT_RATE, SPOT_UNKNOWN, spotClasses } from './rejection-codes.ts'

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
