import type { Rows } from '../order-lookup/search.ts'
import { isRecord } from '../protocol/untrusted.ts'

/** Some pages wrap the list. */
export const orderList: Rows = (data) => {
  const list = isRecord(data) ? data.resultList : data
  return Array.isArray(list) ? list : undefined
}

/**
 * How a query with other characters is signed is disputed (docs/exchanges/mexc.md, 2.2). Without it
 * MEXC lists more.
 */
export function plainSymbol(symbol: string | undefined): string | undefined {
  return symbol !== undefined && /^[\w-]+$/.test(symbol) ? symbol : undefined
}
