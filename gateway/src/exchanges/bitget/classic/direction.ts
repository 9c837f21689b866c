import type { OrderEffect } from '../../call-effect.ts'
import { type EffectFields, requiredWord, wordIn } from '../../effect-fields.ts'
import { SIDES } from '../effect-words.ts'

/**
 * One-way mode ignores `tradeSide`, and hedge mode rejects an order without one. In hedge mode
 * `side` names the position, which a close trades against. So what `tradeSide: close` alone does
 * depends on the mode, which the call does not say: it closes what it names, or opens it. With
 * `reduceOnly` it reduces in both modes (docs/exchanges/bitget.md, 4.2).
 */
export function directionOf(fields: EffectFields): Pick<OrderEffect, 'side' | 'reduces'> {
  const side = requiredWord(fields, 'side', SIDES)
  const tradeSide = wordIn(fields, 'tradeSide', ['open', 'close'])
  return {
    side: tradeSide === 'close' ? undefined : side,
    // Whether another spelling counts is not documented.
    reduces: fields.reduceOnly === 'YES' && tradeSide !== 'open',
  }
}
