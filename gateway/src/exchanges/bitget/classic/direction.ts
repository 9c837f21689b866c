import type { OrderEffect } from '../../call-effect.ts'
import { type EffectFields, requiredWord, wordIn } from '../../call-effect.ts'
import type { OrderFields } from '../../order-lookup/order-call.ts'
import {
  type Closing,
  closingOf,
  closingOfSide,
  type ExitKind,
  type PositionSide,
  sideClosedBy,
  spotClosing,
} from '../../position-part.ts'
import { lowerAscii, positiveOf, textOf } from '../../protocol/untrusted.ts'
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

/**
 * What a futures order closes. One-way mode goes by `reduceOnly` alone, and hedge mode by
 * `tradeSide`.
 */
export function orderClosing(fields: OrderFields, kind: ExitKind = 'now'): Closing | undefined {
  const side = wordOf(fields.side)
  return closingOf({
    inOneWay: fields.reduceOnly === 'YES' ? sideClosedBy(side) : undefined,
    inHedge: wordOf(fields.tradeSide) === 'close' ? heldSideOf(side) : undefined,
    kind,
  })
}

/** The same of one that waits for a price: from which side that comes, its call does not say. */
export function planClosing(fields: OrderFields): Closing | undefined {
  return orderClosing(fields, 'stop')
}

/** One end of a position. Those of type `pos_…` are for all of it. */
export function endingClosing({ planType, holdSide }: OrderFields): Closing | undefined {
  const type = wordOf(planType)
  const isProfit = type === 'profit_plan' || type === 'pos_profit'
  return closingOfSide(heldSideOf(wordOf(holdSide)), {
    kind: isProfit ? 'profit' : 'stop',
    isWhole: type?.startsWith('pos_') === true,
  })
}

/** The same in a call that may have both ends. Without a size it is for all of the position. */
export function legClosing({ leg, holdSide, size }: OrderFields): Closing | undefined {
  return closingOfSide(heldSideOf(wordOf(holdSide)), {
    kind: leg === 'stopSurplus' ? 'profit' : 'stop',
    isWhole: positiveOf(size) === undefined,
  })
}

/** A close of a position, of both sides where it names none. */
export function wholeClosing({ holdSide }: OrderFields): Closing | undefined {
  return closingOfSide(heldSideOf(wordOf(holdSide)), { isWhole: true })
}

/** A sale on spot. With `tpslType` tpsl it waits for a price; from which side is not said. */
export function spotOrderClosing({ side, tpslType }: OrderFields): Closing | undefined {
  return spotClosing(textOf(side), wordOf(tpslType) === 'tpsl' ? 'stop' : 'now')
}

/** The same of an order that always waits for a price. */
export function spotPlanClosing({ side }: OrderFields): Closing | undefined {
  return spotClosing(textOf(side), 'stop')
}

/** A position as calls name it: long or short in hedge mode, buy or sell in one-way mode. */
function heldSideOf(word: string | undefined): PositionSide | undefined {
  if (word === 'long' || word === 'buy') return 'long'
  return word === 'short' || word === 'sell' ? 'short' : undefined
}

function wordOf(value: unknown): string | undefined {
  return lowerAscii(textOf(value))
}
