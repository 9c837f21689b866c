import { bitgetClasses } from './bitget/refusal-classes.ts'
import type { OrderTrace } from './order-trace.ts'
import { isRecord, recordsOf, textOf } from './untrusted.ts'
import { type Verdict, wordsOf } from './verdict.ts'

/**
 * The client order ids that the exchange refused because it has, or had, orders with them, of one
 * order or of several; an entry that names none stands for the empty text.
 */
export function duplicateIds(verdict: Verdict, trace: OrderTrace | undefined): string[] {
  if (verdict.kind === 'refused')
    return verdict.refusal.class === 'duplicate' ? [trace?.clientOrderId ?? ''] : []
  if (verdict.kind !== 'ok' || trace?.several === undefined) return []
  const { data } = verdict
  const entries = recordsOf(isRecord(data) ? data.failureList : data)
  return entries
    .filter(isDuplicate)
    .map(({ clientOid, externalOid }) => textOf(clientOid ?? externalOid) ?? '')
}

/** The code is not always given (Bitget's page of `batch-orders`); 603 is "repeated request" on MEXC futures. */
function isDuplicate(entry: Record<string, unknown>): boolean {
  const { code = '', message } = wordsOf({
    code: entry.errorCode ?? entry.code,
    msg: entry.errorMsg ?? entry.msg,
  })
  if (bitgetClasses.get(code) === 'duplicate' || code === '603') return true
  return /duplicate/i.test(message)
}
