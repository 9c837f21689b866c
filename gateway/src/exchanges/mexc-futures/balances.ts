import type { MxBalance } from 'schema'
import { decimalOf, recordsOf, textOf } from '../protocol/untrusted.ts'

/** The balances in the response to `accountCall`. */
export function balances(data: unknown): MxBalance[] {
  return recordsOf(data).map((entry) => ({
    accountType: 'futures',
    coin: textOf(entry.currency) ?? '',
    available: decimalOf(entry.availableBalance) ?? '0',
    frozen: decimalOf(entry.frozenBalance) ?? '0',
    equity: decimalOf(entry.equity) ?? null,
  }))
}
