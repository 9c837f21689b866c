import type { OrderRejectedError, RejectionReason } from '../errors.ts'
import type { ParamProblems } from '../params.ts'

/** An error response of MEXC spot: `{ code, msg }`. */
export class SpotRejection extends Error {
  readonly code: number
  readonly status: number

  constructor(code: number, message: string, status = 400) {
    super(message)
    this.name = 'SpotRejection'
    this.code = code
    this.status = status
  }
}

export const spotProblems: ParamProblems = {
  missing: (name) =>
    new SpotRejection(
      700004,
      `Mandatory parameter '${name}' was not sent, was empty/null, or malformed`,
    ),
  malformed: (name) => new SpotRejection(33333, `param error: ${name}`),
}

export const noSuchSymbol = () => new SpotRejection(-1121, 'Invalid symbol.')
/** For orders; market data has -1121. */
export const badSymbol = () => new SpotRejection(10007, 'bad symbol')
export const orderNotFound = () => new SpotRejection(-2013, 'Order does not exist.')
export const unknownOrderSent = () => new SpotRejection(-2011, 'Unknown order sent.')
// The code for a repeated client order id is not documented; -2010 is a guess.
export const duplicateOrder = () => new SpotRejection(-2010, 'Duplicate order sent.')

// Codes by class (docs/exchanges/mexc.md, 6); which of a class the real exchange picks is not
// always established.
const codes: Record<RejectionReason, readonly [code: number, words: string]> = {
  'symbol-closed': [30016, 'Trading disabled'],
  'price-missing': [30010, 'no valid trade price'],
  'price-scale': [33333, 'price scale is invalid'],
  'price-low': [30087, 'Order price is below the allowed range'],
  'price-high': [30087, 'Order price is above the allowed range'],
  'size-missing': [
    700004,
    "Mandatory parameter 'quantity' was not sent, was empty/null, or malformed",
  ],
  'size-scale': [33333, 'quantity scale is invalid'],
  'size-small': [30002, 'The minimum transaction volume cannot be less than'],
  'size-large': [30003, 'The maximum transaction volume cannot be greater than'],
  'value-small': [30002, 'The minimum transaction volume cannot be less than'],
  'value-large': [30003, 'The maximum transaction volume cannot be greater than'],
  balance: [10101, 'Insufficient balance'],
  margin: [10101, 'Insufficient balance'],
  'no-position': [30004, 'Insufficient position'],
  'position-small': [30005, 'Oversold'],
  'position-mode': [30041, 'current order type can not place order'],
  'margin-mode': [30041, 'current order type can not place order'],
  leverage: [30041, 'current order type can not place order'],
  'too-many-orders': [30029, 'The number of open orders exceeds the limit'],
  'order-state': [-2011, 'Unknown order sent.'],
}

/** What MEXC spot says when its engine does not take an order. */
export function toSpotRejection(error: OrderRejectedError): SpotRejection {
  if (error.reason === 'balance' && error.detail !== 'USDT') {
    return new SpotRejection(30004, 'Insufficient position')
  }
  const [code, words] = codes[error.reason]
  const showsBound = error.reason.startsWith('size-s') || error.reason.startsWith('value-')
  return new SpotRejection(code, showsBound ? `${words} ${error.detail}` : words)
}
