/**
 * The language that numbers, dates and sorting follow, everywhere in the console. What is fixed has
 * a form of its own: request times of the log and of its export, and values that people type.
 */
export const LOCALE = 'en-US'

const decimal = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 })

/** With its thousands apart and two decimals at most: `1,640.5`. */
export const formatNumber = (value: number): string => decimal.format(value)
