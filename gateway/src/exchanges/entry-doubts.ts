import type { OrderKey } from './order-lookup/order-key.ts'
import { isRecord, recordsOf, textOf } from './protocol/untrusted.ts'
import { type RejectionCodes, type Verdict, wordsOf } from './protocol/verdict.ts'
import { adapters } from './registry.ts'

/** An order that may exist although the exchange did not say so. */
export interface EntryDoubt {
  /**
   * `duplicate`: the exchange has, or had, one with its client order id. `unknown`: it reports
   * trouble of its own with this one of several.
   */
  readonly kind: 'duplicate' | 'unknown'
  /** Empty where the response names none. */
  readonly clientOrderId: string
}

/**
 * What a response leaves in doubt, of one order or of several.
 * @param order absent where the call names no orders
 */
export function entryDoubts(
  verdict: Verdict,
  order: OrderKey | undefined,
  from = adapters,
): EntryDoubt[] {
  if (verdict.kind === 'rejected') {
    const clientOrderId = order?.clientOrderId ?? ''
    return verdict.rejection.class === 'duplicate' ? [{ kind: 'duplicate', clientOrderId }] : []
  }
  if (verdict.kind !== 'ok' || order?.several === undefined) return []
  const { data } = verdict
  const { codes } = from.of(order.family)
  const isOne = order.several === 'replacement'
  const entries = isOne ? [data] : isRecord(data) ? data.failureList : data
  // The one response of a replacement is its failure, and does not repeat the id of the order that
  // was to come.
  const onlyId = isOne ? order.orders?.at(-1)?.clientOrderId : undefined
  return recordsOf(entries).flatMap((entry) => {
    const kind = doubtOf(codes, entry)
    const { clientOid, externalOid, newClientOrderId } = entry
    const id = textOf(clientOid ?? externalOid ?? newClientOrderId) ?? onlyId ?? ''
    return kind === undefined ? [] : [{ kind, clientOrderId: id }]
  })
}

function doubtOf(
  { classes, unknown }: RejectionCodes,
  entry: Record<string, unknown>,
): EntryDoubt['kind'] | undefined {
  const { code = '', message } = wordsOf({
    code: entry.errorCode ?? entry.code,
    msg: entry.errorMsg ?? entry.msg,
  })
  if (unknown.has(code)) return 'unknown'
  // The code is not always given (Bitget's page of `batch-orders`).
  const isDuplicate = classes.get(code) === 'duplicate' || /duplicate/i.test(message)
  return isDuplicate ? 'duplicate' : undefined
}
