import { EXCHANGE_NAMES, EXCHANGES } from 'schema'

/** The exchanges as choices, with their own names. */
export const exchangeOptions = EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))
