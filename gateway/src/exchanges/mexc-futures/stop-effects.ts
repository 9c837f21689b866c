import type { EffectForm, OrderEffect } from '../call-effect.ts'
import {
  changedOrder,
  type EffectFields,
  higherIn,
  nameIn,
  namesOf,
  positiveIn,
  refuseIfGiven,
  textIn,
  unclear,
  wordIn,
} from '../call-effect.ts'
import { stopClosing } from './closing.ts'
import type { TriggerKind } from './trigger-calls.ts'

// Take profit and stop loss (docs/exchanges/mexc.md, 4.4). The names of their fields are those of
// MEXC's own pages of 2026.

const PRICES = 'stopLossPrice takeProfitPrice lossTrend profitTrend'
/** 1: a stop that closes a position opens the opposite one as well. */
const REVERSALS = ['takeProfitReverse', 'stopLossReverse'] as const
/** They make it limit orders, or give each leg a size of its own. */
const OF_LEGS = [
  'takeProfitType',
  'takeProfitOrderPrice',
  'takeProfitVol',
  'stopLossType',
  'stopLossOrderPrice',
  'stopLossVol',
]

/** Both ends of a position, at the market's price. */
export const positionStop: EffectForm = {
  fields: namesOf(
    PRICES,
    'positionId vol volType profitLossVolType priceProtect mtoken',
    ...REVERSALS,
    ...OF_LEGS,
  ),
  read(fields): OrderEffect {
    refuseIfGiven(fields, ...OF_LEGS)
    if (textIn(fields, 'positionId') === undefined) throw unclear('positionId')
    const isPart = wordIn(fields, 'volType', ['1', '2']) === '1'
    const size = positiveIn(fields, 'vol')
    return {
      ...stop(fields),
      size: isPart ? size : undefined,
      reduces: true,
      closes: stopClosing(fields),
    }
  },
}

/** A change of the ends that hang on an order: its own size and price stay. */
export function stopChange(idName: string, plan?: TriggerKind): EffectForm {
  return {
    fields: namesOf(PRICES, 'symbol', idName, ...REVERSALS),
    read: (fields) => ({ ...stop(fields), changes: changedOrder(fields, { idName, plan }) }),
  }
}

/** Zero takes an end away. */
function stop(fields: EffectFields): OrderEffect {
  for (const name of REVERSALS) wordIn(fields, name, ['0', '2'])
  return {
    kind: 'order',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    ...{ side: undefined, size: undefined, price: undefined, reduces: false, rests: true },
    trigger: higherIn(fields, 'stopLossPrice', 'takeProfitPrice'),
  }
}
