import { isRecord, recordsOf } from './protocol/untrusted.ts'

/** The fields of a symbol's ticker, in a response with one ticker or a list of them. */
export function tickerOf(symbol: string, data: unknown): Record<string, unknown> | undefined {
  const entries = isRecord(data) ? [data] : recordsOf(data)
  return entries.find((entry) => entry.symbol === symbol)
}
