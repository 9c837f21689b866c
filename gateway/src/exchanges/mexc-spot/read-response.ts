import { isRecord } from '../protocol/untrusted.ts'
import type { ExchangeWords, RejectionClass, Verdict } from '../protocol/verdict.ts'
import {
  classOfStatus,
  rejected,
  rejectionOf,
  unknownOutcome,
  wordsOf,
} from '../protocol/verdict.ts'
import { SPOT_RATE, SPOT_UNKNOWN, spotClasses } from './rejection-codes.ts'

/** Spot responds with a bare object or list, and `{ code, msg }` when it rejects. */
export function readSpotResponse(status: number, value: unknown): Verdict {
  const words = wordsOf(value)
  const isError = words.code !== undefined && words.code !== '0' && words.code !== '200'
  if (status < 300 && !(isError && isRecord(value) && 'msg' in value)) {
    return { kind: 'ok', data: value }
  }
  if (words.code !== undefined) {
    if (SPOT_RATE.has(words.code))
      return { kind: 'rate-limited', rejection: rejectionOf('rate', status, words) }
    if (SPOT_UNKNOWN.has(words.code)) return unknownOutcome('It reports an internal error', words)
  }
  return rejected(spotClasses.get(words.code ?? '') ?? classOfWords(status, words), status, words)
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
