import { BigNumber } from 'bignumber.js'
import type { Query } from './exchange.ts'

/**
 * An amount as the text that goes to an exchange: text as it came, but never with an exponent
 * (`1e-7`), which some languages write into JSON and no exchange reads.
 */
export function amountText(amount: string | number): string {
  return typeof amount === 'string' && !/e/i.test(amount) ? amount : new BigNumber(amount).toFixed()
}

/** The pairs of a query whose value is there. */
export function queryOf(values: Record<string, string | number | undefined>): Query {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`] as const],
  )
}
