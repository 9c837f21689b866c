import type { LeverageEffect, MarginEffect, OrderEffect } from '../call-effect.ts'
import {
  type EffectFields,
  leverageIn,
  nameIn,
  positiveIn,
  requiredName,
  requiredPositive,
  requiredWord,
  unclear,
  wordIn,
} from '../call-effect.ts'

// What the orders of both kinds of accounts have in common.

export const SIDES = ['buy', 'sell'] as const

/** The bot's own deadline (docs/exchanges/bitget.md, 2). */
export const TIMES = 'requestTime receiveWindow'

/** What is the same in every take profit, stop loss, close and change. */
export const KEPT = { side: undefined, size: undefined, price: undefined } as const

export function isMarketOrder(fields: EffectFields): boolean {
  return requiredWord(fields, 'orderType', ['limit', 'market']) === 'market'
}

/** The price, and whether the order may stay open. @param forceName the field of its force */
export function priceOf(
  fields: EffectFields,
  forceName: string,
): Pick<OrderEffect, 'price' | 'rests'> {
  const force = wordIn(fields, forceName, ['gtc', 'post_only', 'fok', 'ioc'])
  if (isMarketOrder(fields)) return { price: undefined, rests: false }
  return {
    price: requiredPositive(fields, 'price'),
    rests: force !== 'fok' && force !== 'ioc',
  }
}

/** The price of a trigger order. Libraries write it a second time, by the name of another call. */
export function agreedPrice(fields: EffectFields, name: string, otherName: string): string {
  const price = requiredPositive(fields, name)
  const other = positiveIn(fields, otherName)
  if (other !== undefined && other !== price) throw unclear(otherName)
  return price
}

/** The size of a spot order: a market buy spends an amount of the quote coin. */
export function spotSizeOf(
  fields: EffectFields,
  sizeName: string,
): Pick<OrderEffect, 'size' | 'quoteSize'> {
  const size = requiredPositive(fields, sizeName)
  const spends = isMarketOrder(fields) && requiredWord(fields, 'side', SIDES) === 'buy'
  return spends ? { size: undefined, quoteSize: size } : { size }
}

/** The greatest leverage counts: which of them the account uses depends on its modes. */
export function readLeverage(fields: EffectFields): LeverageEffect {
  const given = ['leverage', 'longLeverage', 'shortLeverage'].flatMap(
    (name) => leverageIn(fields, name) ?? [],
  )
  return {
    kind: 'leverage',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    leverage: given.length === 0 ? undefined : Math.max(...given),
  }
}

export function readMargin(fields: EffectFields): MarginEffect {
  return { kind: 'margin', market: 'futures', symbol: requiredName(fields, 'symbol') }
}
