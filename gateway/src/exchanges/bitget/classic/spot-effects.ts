import type { EffectForm, OrderEffect } from '../../call-effect.ts'
import {
  changedOrder,
  type EffectFields,
  higherIn,
  namesOf,
  refuseIfGiven,
  requiredName,
  requiredPositive,
  requiredWord,
  unclear,
  wordIn,
} from '../../call-effect.ts'
import { textOf } from '../../protocol/untrusted.ts'
import { agreedPrice, isMarketOrder, priceOf, SIDES, spotSizeOf, TIMES } from '../effect-words.ts'
import { spotOrderClosing, spotPlanClosing } from './order-forms.ts'

// What spot orders of a classic account may trade, which has no loans (docs/exchanges/bitget.md,
// 3).

const EXITS = ['presetTakeProfitPrice', 'presetStopLossPrice']
/** Prices at which an attached take profit or stop loss would be a limit order. */
const EXIT_PRICES = ['executeTakeProfitPrice', 'executeStopLossPrice']

const beside = namesOf('symbol batchMode', TIMES)
const ORDER = namesOf(
  'symbol side orderType force price size clientOid tpslType stpMode',
  ...EXITS,
  ...EXIT_PRICES,
  TIMES,
)
export const ordering: EffectForm = {
  fields: new Set([...ORDER, 'triggerPrice']),
  ignores: (fields) => (isStandAlone(fields) ? [] : ['triggerPrice']),
  read: readOrder,
}
export const replacing: EffectForm = {
  fields: namesOf(
    // ccxt names the type.
    'symbol price size orderId clientOid newClientOid orderType',
    ...EXITS,
    ...EXIT_PRICES,
    TIMES,
  ),
  read: readReplacement,
}

/** No page says that it knows a trigger price. */
export const batch: EffectForm = { fields: ORDER, beside, read: readOrder }
export const replacingSeveral: EffectForm = { ...replacing, beside }
export const planning: EffectForm = {
  fields: namesOf(
    'symbol side triggerPrice orderType executePrice price planType size triggerType',
    'clientOid force stpMode',
    TIMES,
  ),
  read: readPlan,
}

function readOrder(fields: EffectFields): OrderEffect {
  const side = requiredWord(fields, 'side', SIDES)
  refuseIfGiven(fields, ...EXIT_PRICES)
  // What a sale would buy back afterwards is not documented.
  if (side === 'sell') refuseIfGiven(fields, ...EXITS)
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side,
    ...spotSizeOf(fields, 'size'),
    reduces: side === 'sell',
    closes: spotOrderClosing(fields),
    ...priceOf(fields, 'force'),
    ...triggerOf(fields),
    exit: higherIn(fields, 'presetTakeProfitPrice', 'presetStopLossPrice'),
  }
}

/** Whether it is a take profit or stop loss of its own, and not one that hangs on an order. */
function isStandAlone({ tpslType }: EffectFields): boolean {
  return textOf(tpslType)?.toLowerCase() === 'tpsl'
}

/** A take profit or stop loss that stands alone waits, whatever it becomes then. */
function triggerOf(fields: EffectFields): Pick<OrderEffect, 'trigger' | 'rests'> | undefined {
  wordIn(fields, 'tpslType', ['normal', 'tpsl'])
  if (isStandAlone(fields))
    return { trigger: requiredPositive(fields, 'triggerPrice'), rests: true }
  refuseIfGiven(fields, 'triggerPrice')
  return undefined
}

/** A limit order like the old one, on its side. */
function readReplacement(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...EXITS, ...EXIT_PRICES)
  wordIn(fields, 'orderType', ['limit'])
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side: undefined,
    size: requiredPositive(fields, 'size'),
    price: requiredPositive(fields, 'price'),
    ...{ reduces: false, rests: true },
    changes: changedOrder(fields, { clientIdName: 'clientOid' }),
  }
}

function readPlan(fields: EffectFields): OrderEffect {
  const side = requiredWord(fields, 'side', SIDES)
  const isMarket = isMarketOrder(fields)
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side,
    ...planSizeOf(fields, isMarket && side === 'buy'),
    price: isMarket ? undefined : agreedPrice(fields, 'executePrice', 'price'),
    trigger: requiredPositive(fields, 'triggerPrice'),
    ...{ reduces: side === 'sell', rests: true },
    closes: spotPlanClosing(fields),
  }
}

/**
 * `planType` says whether the size is in the base coin, which is the default, or in the quote coin.
 * The default of a market buy is in doubt: the size of a plain one is in the quote coin.
 */
function planSizeOf(
  fields: EffectFields,
  isMarketBuy: boolean,
): Pick<OrderEffect, 'size' | 'quoteSize'> {
  const planType = wordIn(fields, 'planType', ['amount', 'total'])
  const size = requiredPositive(fields, 'size')
  if (planType === 'total') return { size: undefined, quoteSize: size }
  if (planType === undefined && isMarketBuy) throw unclear('planType')
  return { size }
}
