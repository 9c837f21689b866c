import type { BgAccountRow } from 'schema'
import { decimalOf, recordsOf, textOf } from '../../protocol/untrusted.ts'

/**
 * Rows of the spot account from the response to `spotAssetsCall`. No call of Bitget's has the seven
 * fields together.
 * @param receivedAtMs Unix ms, for coins without a time of their own
 */
export function spotRows(accountId: string, data: unknown, receivedAtMs: number): BgAccountRow[] {
  return recordsOf(data).map((entry) => ({
    accountId,
    accountType: 'spot',
    coin: textOf(entry.coin) ?? '',
    available: decimalOf(entry.available) ?? '0',
    frozen: decimalOf(entry.frozen) ?? '0',
    locked: decimalOf(entry.locked) ?? '0',
    uTime: epochMsText(entry.uTime) ?? `${receivedAtMs}`,
  }))
}

/**
 * Rows of the futures account from the response to `futuresAccountsCall`. It has neither a frozen
 * amount nor a time.
 * @param receivedAtMs Unix ms
 */
export function futuresRows(
  accountId: string,
  data: unknown,
  receivedAtMs: number,
): BgAccountRow[] {
  return recordsOf(data).map((entry) => ({
    accountId,
    accountType: 'futures',
    coin: textOf(entry.marginCoin) ?? '',
    available: decimalOf(entry.available) ?? '0',
    frozen: '0',
    locked: decimalOf(entry.locked) ?? '0',
    uTime: `${receivedAtMs}`,
  }))
}

/**
 * Bitget writes this time in seconds on its pages and in ms elsewhere: ten digits are seconds until
 * the year 2286.
 */
function epochMsText(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined || !/^\d{10}(\d{3})?$/.test(text)) return undefined
  return text.length === 10 ? `${text}000` : text
}
