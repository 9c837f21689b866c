import type { OrderEffect } from '../call-effect.ts'
import { upperAscii } from '../effect-fields.ts'
import { type OrderKey, ordersOf } from './order-key.ts'

/**
 * What the orders of a call were to trade, as far as their key says: enough to value them later,
 * not to judge the call. Cancels have none.
 */
export function effectsOfKey(key: OrderKey): OrderEffect[] {
  return ordersOf(key)
    .filter(({ action }) => action !== 'cancel')
    .map(effectOf)
}

function effectOf({ market, symbol, productType, plan, terms = {} }: OrderKey): OrderEffect {
  const { kind, trigger, price, spends } = terms
  return {
    kind: 'order',
    market,
    symbol: upperAscii(symbol),
    ...(market === 'futures' ? { productType: upperAscii(productType) } : {}),
    side: sideOf(terms),
    size: terms.size ?? terms.asked,
    // A trigger order's may be in the base coin.
    quoteSize: plan === undefined ? spends : undefined,
    price: kind === 'market' ? undefined : price,
    trigger,
    ...{ reduces: false, rests: true },
  }
}

/** Undefined where the exchange's word may mean another side: then the dearer one counts. */
function sideOf({ side = '', position }: NonNullable<OrderKey['terms']>): OrderEffect['side'] {
  if (position === 'close') return undefined
  // MEXC futures: 1 opens a long position, 2 closes a short one.
  if (['buy', '1', '2'].includes(side)) return 'buy'
  return ['sell', '3', '4'].includes(side) ? 'sell' : undefined
}
