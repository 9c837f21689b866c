import type { MxBalance } from 'schema'
import { decimalOf, isRecord, recordsOf, textOf } from '../protocol/untrusted.ts'

/** The balances in the response to `accountCall`. */
export function balances(data: unknown): MxBalance[] {
  return recordsOf(isRecord(data) ? data.balances : undefined).map((entry) => ({
    accountType: 'spot',
    coin: textOf(entry.asset) ?? '',
    available: decimalOf(entry.free) ?? '0',
    frozen: decimalOf(entry.locked) ?? '0',
    equity: null,
  }))
}
