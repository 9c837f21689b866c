import { BigNumber } from 'bignumber.js'
import { percentEncode, queryText } from './query-text.ts'

/**
 * An amount as the text that goes to an exchange: text as it came, but never with an exponent
 * (`1e-7`), which some languages write into JSON and no exchange reads.
 */
export function amountText(amount: string | number): string {
  return typeof amount === 'string' && !/e/i.test(amount) ? amount : new BigNumber(amount).toFixed()
}

/** The same of an amount that may be absent. */
export function optionalAmount(amount: string | number | undefined): string | undefined {
  return amount === undefined ? undefined : amountText(amount)
}

/**
 * A whole number that a caller may give as text too (`"10"`); the endpoint's schema has checked its
 * form.
 */
export function wholeNumber(value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}

/** Values of a query by name; absent ones are left out. */
export type QueryValues = Readonly<Record<string, string | number | undefined>>

/** The query of the values that are there. */
export function queryOf(values: QueryValues, encode = percentEncode): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`] as const],
  )
  return queryText(pairs, encode)
}
