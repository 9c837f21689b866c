import type { OrderRejectedError, RejectionReason } from '../errors.ts'
import type { ParamProblems } from '../params.ts'

/**
 * Which of Bitget's codes are used: those of the classic spot and futures accounts, or of the
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

// 400172 for a category that is absent: live. That all other parameters of v3 get it, too, is not
// established [?].
const wrongParameter = (name: string) =>
  new BitgetRejection('400172', `Parameter verification failed ${name}`)

export const unifiedProblems: ParamProblems = {
  missing: wrongParameter,
  malformed: wrongParameter,
}

export const noSuchSymbol = (symbol: string) =>
  new BitgetRejection('40034', `Parameter ${symbol} does not exist`)

type Words = readonly [code: string, words: string]

// Codes by class (docs/exchanges/bitget.md, 8); which of a class the real exchange picks is not
// always established.
const spot: Record<RejectionReason, Words> = {
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
  margin: ['43012', 'Insufficient balance'],
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

const mix: Record<RejectionReason, Words> = {
  ...spot,
  'price-scale': ['45115', 'The price you enter should be a multiple of'],
  'size-small': ['45111', 'less than the minimum order quantity'],
  'size-large': ['45112', 'more than the maximum order quantity'],
  'value-large': ['45112', 'more than the maximum order quantity'],
  margin: ['40762', 'The order amount exceeds the balance'],
}

// The codes of v3 by the words of its error page; which of them an order gets is established for
// 25202 to 25204 and 25227 only (docs/exchanges/bitget-unified.md, 9).
const unified: Record<RejectionReason, Words> = {
  'symbol-closed': ['25101', 'Trading pair not open for trading'],
  'price-missing': ['400172', 'Parameter verification failed price'],
  'price-scale': ['25244', 'Price should be a multiple of'],
  'price-low': ['25205', 'The trading price cannot be below'],
  'price-high': ['25206', 'The trading price cannot exceed'],
  'size-missing': ['400172', 'Parameter verification failed qty'],
  'size-scale': ['25610', 'Order amount does not meet precision requirements:'],
  'size-small': ['25207', 'The trading quantity cannot be less than'],
  'size-large': ['25208', 'The trading quantity cannot exceed'],
  'value-small': ['25611', 'Order quantity must be greater than the minimum order amount'],
  'value-large': ['25208', 'The trading quantity cannot exceed'],
  balance: ['25202', 'Insufficient balance'],
  margin: ['25203', 'Insufficient margin'],
  'no-position': ['25227', 'No position available to close'],
  'position-small': ['25225', 'Insufficient available quantity in position'],
  'position-mode': ['25107', 'There is currently a position, please close the position'],
  'margin-mode': ['25236', 'Incorrect position open type'],
  leverage: ['25223', 'Exceeds the maximum leverage'],
  'too-many-orders': ['25211', 'Exceeds the limit of maximum orders'],
  'order-state': ['25204', 'Order does not exist'],
}

const words: Readonly<Record<BitgetDialect, Record<RejectionReason, Words>>> = {
  spot,
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
  const [code, text] = words[dialect][reason]
  const showsBound = /^(price|size|value)-/.test(reason) && detail !== ''
  return new BitgetRejection(code, showsBound ? `${text} ${detail}` : text)
}
