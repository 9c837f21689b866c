import type { OrderRejectedError, RejectionReason } from '../errors.ts'
import type { ParamProblems } from '../params.ts'

/**
 * Which of Bitget's codes are spoken: those of the classic spot and futures accounts, or of the
 * unified one (v3).
 */
export type BitgetDialect = 'spot' | 'mix' | 'unified'

/**
 * An error response of Bitget: `{ code, msg, requestTime, data: null }`, HTTP 400 but for a few.
 */
export class BitgetRejection extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status = 400) {
    super(message)
    this.name = 'BitgetRejection'
    this.code = code
    this.status = status
  }
}

export const bitgetProblems: ParamProblems = {
  missing: (name) => new BitgetRejection('40019', `Parameter ${name} cannot be empty`),
  malformed: (name) => new BitgetRejection('40020', `Parameter ${name} error`),
}

export const noSuchSymbol = (symbol: string) =>
  new BitgetRejection('40034', `Parameter ${symbol} does not exist`)

type Words = readonly [code: string, words: string]

// Codes by class (docs/exchanges/bitget.md, 8); which of a class the real exchange picks is not
// always established.
const shared: Record<RejectionReason, Words> = {
  'symbol-closed': ['40844', 'The trading pair is under maintenance'],
  'price-missing': ['40019', 'Parameter price cannot be empty'],
  'price-scale': ['40808', 'Parameter verification exception price'],
  'price-low': ['43008', 'The current order price cannot be less than'],
  'price-high': ['43009', 'The current order price exceeds the limit'],
  'size-missing': ['40019', 'Parameter size cannot be empty'],
  'size-scale': ['40808', 'Parameter verification exception size'],
  'size-small': ['43006', 'The order quantity is less than the minimum transaction quantity'],
  'size-large': ['43007', 'The order quantity is greater than the maximum transaction quantity'],
  'value-small': ['45110', 'less than the minimum amount USDT'],
  'value-large': ['43007', 'The order quantity is greater than the maximum transaction quantity'],
  balance: ['43012', 'Insufficient balance'],
  'no-position': ['22002', 'No position to close'],
  'position-small': ['40757', 'Not enough position is available'],
  'position-mode': ['40920', 'Position or order exists, the position mode cannot be switched'],
  'margin-mode': [
    '45117',
    'Currently holding positions or orders, the margin mode cannot be adjusted',
  ],
  // No page has 40797 (docs/exchanges/bitget.md, 8); seen in public code only.
  leverage: ['40797', 'Exceeded the maximum settable leverage'],
  'too-many-orders': ['43005', 'Exceed the maximum number of orders'],
  'order-state': ['45055', 'The current order status cannot be cancelled'],
}

const mix: Partial<Record<RejectionReason, Words>> = {
  'price-scale': ['45115', 'The price you enter should be a multiple of'],
  'size-small': ['45111', 'less than the minimum order quantity'],
  'size-large': ['45112', 'more than the maximum order quantity'],
  'value-large': ['45112', 'more than the maximum order quantity'],
  balance: ['40762', 'The order amount exceeds the balance'],
}

// The codes of v3 by their classes; which code of a class means what is established for 25202 to
// 25204 and 25227 only (constants of bitget-api).
const unified: Partial<Record<RejectionReason, Words>> = {
  'price-scale': ['25208', 'The price has too many decimals, the step is'],
  'price-low': ['25206', 'The order price cannot be less than'],
  'price-high': ['25206', 'The order price cannot be more than'],
  'size-scale': ['25207', 'The order quantity has too many decimals, the step is'],
  'size-small': ['25205', 'The order quantity is less than the minimum'],
  'size-large': ['25205', 'The order quantity is more than the maximum'],
  'value-small': ['25244', 'The order value is less than the minimum'],
  'value-large': ['25244', 'The order value is more than the maximum'],
  balance: ['25202', 'Insufficient balance'],
  'no-position': ['25227', 'No position to close'],
  'position-small': ['25228', 'Not enough position is available'],
  'position-mode': ['25231', 'The hold mode cannot be switched with positions or orders'],
  'margin-mode': ['25230', 'The margin mode cannot be switched with positions or orders'],
  leverage: ['25225', 'The leverage is above the maximum'],
  'too-many-orders': ['25211', 'Exceed the maximum number of orders'],
}

const own: Readonly<Record<BitgetDialect, Partial<Record<RejectionReason, Words>>>> = {
  spot: {},
  mix,
  unified,
}

/**
 * What Bitget says when its engine does not take an order; futures and v3 have codes of their own.
 */
export function toBitgetRejection(
  { reason, detail }: OrderRejectedError,
  dialect: BitgetDialect,
): BitgetRejection {
  const [code, words] = own[dialect][reason] ?? shared[reason]
  const showsBound = /^(price|size|value)-/.test(reason) && detail !== ''
  return new BitgetRejection(code, showsBound ? `${words} ${detail}` : words)
}
