import type { OrderRejectedError, RejectionReason } from '../errors.ts'
import type { ParamProblems } from '../params.ts'

/**
 * An error response of MEXC futures: `{ success: false, code, message }`, most of them with HTTP
 * 200.
 */
export class FuturesRejection extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'FuturesRejection'
    this.code = code
  }
}

export const futuresProblems: ParamProblems = {
  missing: (name) => new FuturesRejection(600, `Parameter error: ${name} is required`),
  malformed: (name) => new FuturesRejection(600, `Parameter error: ${name}`),
}

export const noSuchContract = () => new FuturesRejection(1001, 'Contract does not exist')
export const noSuchPosition = () => new FuturesRejection(2009, 'Position is nonexistent or closed')
export const modeInTheWay = () =>
  new FuturesRejection(2019, 'There are open orders or positions, the setting cannot be changed')

const codes: Record<RejectionReason, readonly [code: number, words: string]> = {
  'symbol-closed': [1002, 'Contract is not open for orders'],
  'price-missing': [2007, 'Order price error'],
  'price-scale': [2015, 'Price precision error'],
  'price-low': [2004, 'Price is too low'],
  'price-high': [2003, 'Price is too high'],
  'size-missing': [2011, 'Order quantity error'],
  'size-scale': [2011, 'Order quantity error'],
  'size-small': [2011, 'Order quantity error'],
  'size-large': [2028, 'Order quantity exceeds the maximum'],
  'value-small': [2011, 'Order quantity error'],
  'value-large': [2028, 'Order quantity exceeds the maximum'],
  balance: [2005, 'Balance insufficient'],
  margin: [2005, 'Balance insufficient'],
  'no-position': [2009, 'Position is nonexistent or closed'],
  'position-small': [2008, 'The quantity is insufficient'],
  'position-mode': [600, 'Parameter error: reduceOnly is for the one-way mode'],
  'margin-mode': [2002, 'Open type error'],
  leverage: [2006, 'Leverage ratio error'],
  'too-many-orders': [2036, 'Too many orders'],
  'order-state': [2041, 'Order state cannot be cancelled'],
}

/** What MEXC futures says when its engine does not take an order. */
export function toFuturesRejection({ reason }: OrderRejectedError): FuturesRejection {
  const [code, words] = codes[reason]
  return new FuturesRejection(code, words)
}
