import { codeOf, isRecord } from '../protocol/untrusted.ts'
import type { Verdict } from '../protocol/verdict.ts'
import {
  classOfStatus,
  rejected,
  rejectionOf,
  unknownOutcome,
  wordsOf,
} from '../protocol/verdict.ts'
import { BITGET_RATE, bitgetClasses, bitgetUnknown } from './rejection-codes.ts'

/**
 * Bitget wraps everything in `{ code, msg, requestTime, data }`; the code is `00000` when it is
 * done.
 */
export function readBitgetResponse(status: number, value: unknown): Verdict {
  const words = wordsOf(value)
  const code = words.code ?? ''
  if (code === '00000' && status < 300) {
    return { kind: 'ok', data: isRecord(value) ? value.data : undefined }
  }
  // Zeros alone are success in some form: no other code of Bitget is (docs/exchanges/bitget.md, 8).
  if (/^0+$/.test(code) || (code === '' && status < 300)) {
    return unknownOutcome('Its response contradicts itself or has no envelope', words)
  }
  if (BITGET_RATE.has(code)) {
    return { kind: 'rate-limited', rejection: rejectionOf('rate', status, words) }
  }
  if (bitgetUnknown.has(code) || isNamelessParameterError(code, words.message)) {
    return unknownOutcome('It reports an internal error', words)
  }
  return rejected(bitgetClasses.get(code) ?? classOfStatus(status), status, words)
}

/** `{ code, msg }` with five digits or six; 429 alone has three (docs/exchanges/bitget.md, 8). */
export function isBitgetError(value: unknown): boolean {
  return isRecord(value) && 'msg' in value && /^(?:\d{5,6}|429)$/.test(codeOf(value.code) ?? '')
}

/**
 * During releases 40808 comes without the name of a field, and then means that the service failed.
 */
function isNamelessParameterError(code: string, message: string): boolean {
  if (code !== '40808') return false
  return (
    message.replace(/parameter verification exception/i, '').replace(/[^\p{L}\p{N}]/gu, '') === ''
  )
}
