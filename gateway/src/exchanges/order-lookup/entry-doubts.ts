import { bitgetClasses, bitgetUnknown } from '../bitget/refusal-classes.ts'
import type { Family } from '../exchange.ts'
import { futuresUnknown, spotUnknown } from '../mexc/refusal-classes.ts'
import { isRecord, recordsOf, textOf } from '../protocol/untrusted.ts'
import { type Verdict, wordsOf } from '../protocol/verdict.ts'
import type { OrderKey } from './order-key.ts'

/** An order that may stand although the exchange did not say so. */
export interface EntryDoubt {
  /**
   * `duplicate`: the exchange has, or had, one with its client order id. `unknown`: it reports trouble of its
   * own with this one of several.
   */
  readonly kind: 'duplicate' | 'unknown'
  /** Empty where the answer names none. */
  readonly clientOrderId: string
}

/** What an answer leaves in doubt, of one order or of several. @param trace absent where the call names no orders */
export function entryDoubts(verdict: Verdict, trace: OrderKey | undefined): EntryDoubt[] {
  if (verdict.kind === 'refused') {
    const clientOrderId = trace?.clientOrderId ?? ''
    return verdict.refusal.class === 'duplicate' ? [{ kind: 'duplicate', clientOrderId }] : []
  }
  if (verdict.kind !== 'ok' || trace?.several === undefined) return []
  const { data } = verdict
  const isOne = trace.several === 'replacement'
  const entries = isOne ? [data] : isRecord(data) ? data.failureList : data
  // The one answer of a replacement is its failure, and does not repeat the id of the order that was to come.
  const onlyId = isOne ? trace.orders?.at(-1)?.clientOrderId : undefined
  return recordsOf(entries).flatMap((entry) => {
    const kind = doubtOf(trace.family, entry)
    const { clientOid, externalOid, newClientOrderId } = entry
    const id = textOf(clientOid ?? externalOid ?? newClientOrderId) ?? onlyId ?? ''
    return kind === undefined ? [] : [{ kind, clientOrderId: id }]
  })
}

const UNKNOWN: Readonly<Record<Family, ReadonlySet<string>>> = {
  'mexc-spot': spotUnknown,
  'mexc-futures': futuresUnknown,
  bitget: bitgetUnknown,
}

function doubtOf(family: Family, entry: Record<string, unknown>): EntryDoubt['kind'] | undefined {
  const { code = '', message } = wordsOf({
    code: entry.errorCode ?? entry.code,
    msg: entry.errorMsg ?? entry.msg,
  })
  if (UNKNOWN[family].has(code)) return 'unknown'
  // The code is not always given (Bitget's page of `batch-orders`).
  const isDuplicate = bitgetClasses.get(code) === 'duplicate' || /duplicate/i.test(message)
  return isDuplicate ? 'duplicate' : undefined
}
