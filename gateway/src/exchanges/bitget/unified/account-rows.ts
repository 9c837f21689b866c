import type { BgAccountRow } from 'schema'
import { decimalOf, isRecord, recordsOf, textOf } from '../../protocol/untrusted.ts'

export interface BalancesOf {
  readonly accountId: string
  readonly accountType: BgAccountRow['accountType']
  /** Unix ms: the coins have no time of their own. */
  readonly nowMs: number
}

/**
 * A row for each coin of the one pot. What v3 calls locked is what spot orders hold, which v2 calls
 * frozen (docs/exchanges/bitget-unified.md, 5).
 */
export function balanceRows(
  { accountId, accountType, nowMs }: BalancesOf,
  data: unknown,
): BgAccountRow[] {
  return recordsOf(isRecord(data) ? data.assets : undefined).map((entry) => ({
    accountId,
    accountType,
    coin: textOf(entry.coin) ?? '',
    available: decimalOf(entry.available) ?? '0',
    frozen: decimalOf(entry.locked) ?? '0',
    locked: '0',
    uTime: `${nowMs}`,
  }))
}
