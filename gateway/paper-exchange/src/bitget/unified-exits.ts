import { type Decimal, isMultipleOf } from '../decimal.ts'
import type { SignedCall } from '../family.ts'
import type { Market } from '../market.ts'
import type { Exit, Exits } from '../trigger-book.ts'
import { contractRulesOf } from './mix-views.ts'
import { BitgetRejection } from './rejection.ts'

export const EXIT_FIELDS =
  'takeProfit stopLoss tpTriggerBy slTriggerBy tpOrderType slOrderType tpLimitPrice slLimitPrice'

const LEGS = {
  takeProfit: { prefix: 'tp', triggerScale: '25606', limitScale: '25608' },
  stopLoss: { prefix: 'sl', triggerScale: '25607', limitScale: '25609' },
} as const

/** Codes for a trigger price of 0, which an order and a strategy order reject with their own. */
export type ZeroCodes = Readonly<Record<keyof Exits, string>>

/**
 * Take profit or stop loss that a call names; undefined when it names none, null when its price is
 * 0. Without a word for the order type it ends at the market, and a limit price is not looked at.
 * @throws BitgetRejection
 */
export function exitNamed(
  { params }: SignedCall,
  name: keyof Exits,
  market: Market,
): Exit | null | undefined {
  const { prefix, triggerScale, limitScale } = LEGS[name]
  const trigger = params.decimal(name)
  if (trigger === undefined) return undefined
  if (trigger.isZero()) return null
  const isLimit = params.choice(`${prefix}OrderType`, ['limit', 'market']) === 'limit'
  const limit = isLimit ? params.decimal(`${prefix}LimitPrice`) : null
  if (limit === undefined) throw params.problems.missing(`${prefix}LimitPrice`)
  const watches =
    params.choice(`${prefix}TriggerBy`, ['market', 'mark']) === 'mark' ? 'mark' : 'last'
  checkTick(market, trigger, triggerScale)
  if (limit !== null) checkTick(market, limit, limitScale)
  return { trigger, limit, watches }
}

/** Both, for what is new: a price of 0 is rejected. @throws BitgetRejection */
export function newExits(call: SignedCall, market: Market, zeroCodes: ZeroCodes): Exits {
  const exitOf = (name: keyof Exits): Exit | null => {
    const exit = exitNamed(call, name, market)
    if (exit === null) throw new BitgetRejection(zeroCodes[name], `${name} must be greater than 0`)
    return exit ?? null
  }
  return { takeProfit: exitOf('takeProfit'), stopLoss: exitOf('stopLoss') }
}

function checkTick(market: Market, price: Decimal, code: string): void {
  if (!isMultipleOf(price, contractRulesOf(market).priceTick))
    throw new BitgetRejection(code, 'The price does not meet precision requirements')
}
