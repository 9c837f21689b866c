import type { RefusalReason, TradeRefusedError } from '../errors.ts'
import type { ParamProblems } from '../params.ts'

/** An error answer of Bitget: `{ code, msg, requestTime, data: null }`, HTTP 400 but for a few. */
export class BitgetRefusal extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status = 400) {
    super(message)
    this.name = 'BitgetRefusal'
    this.code = code
    this.status = status
  }
}

export const bitgetProblems: ParamProblems = {
  missing: (name) => new BitgetRefusal('40019', `Parameter ${name} cannot be empty`),
  malformed: (name) => new BitgetRefusal('40020', `Parameter ${name} error`),
}

export const noSuchSymbol = (symbol: string) =>
  new BitgetRefusal('40034', `Parameter ${symbol} does not exist`)

type Words = readonly [code: string, words: string]

// Codes as bitget.md section 8 classes them; which of a class the real exchange picks is not always established.
const shared: Record<RefusalReason, Words> = {
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
  // 40797 is not in bitget.md; seen in public code only.
  leverage: ['40797', 'Exceeded the maximum settable leverage'],
  'too-many-orders': ['43005', 'Exceed the maximum number of orders'],
  'order-state': ['45055', 'The current order status cannot be cancelled'],
}

const mix: Partial<Record<RefusalReason, Words>> = {
  'price-scale': ['45115', 'The price you enter should be a multiple of'],
  'size-small': ['45111', 'less than the minimum order quantity'],
  'size-large': ['45112', 'more than the maximum order quantity'],
  'value-large': ['45112', 'more than the maximum order quantity'],
  balance: ['40762', 'The order amount exceeds the balance'],
}

/** What Bitget says when its engine does not take an order; futures have some codes of their own. */
export function toBitgetRefusal(
  { reason, detail }: TradeRefusedError,
  market: 'spot' | 'mix',
): BitgetRefusal {
  const [code, words] = (market === 'mix' ? mix[reason] : undefined) ?? shared[reason]
  const showsBound = /^(price|size|value)-/.test(reason) && detail !== ''
  return new BitgetRefusal(code, showsBound ? `${words} ${detail}` : words)
}
