import { BigNumber } from 'bignumber.js'
import type { Query } from './exchange.ts'

/**
 * An amount as the text that goes to an exchange: text as it came, a JSON number without an exponent, which no exchange
 * reads (`1e-7`).
 */
export function amountText(amount: string | number): string {
  return typeof amount === 'string' ? amount : new BigNumber(amount).toFixed()
}

/** The pairs of a query whose value is there. */
export function queryOf(values: Record<string, string | number | undefined>): Query {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`] as const],
  )
}
