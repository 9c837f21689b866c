import type { ClientLimits } from 'schema'
import type {
  CallEffect,
  LeverageEffect,
  MarginEffect,
  OrderEffect,
} from '../exchanges/call-effect.ts'
import { type Refusal, refuse } from './errors.ts'
import type { WaitingRequest } from './fill-questions.ts'

/** What is not in the call. */
export interface Terms {
  /** The leverage that the request names, where its call does not. */
  readonly leverage?: number | undefined
  /** As in RequestContext. */
  readonly readSinceMs?: number | undefined
  /** The request that waits while the exchange is asked for fills; absent: none does. */
  readonly waiting?: WaitingRequest | undefined
  /** It was admitted before, with another call: the orders of the last minute include its own. */
  readonly isAgain?: boolean | undefined
}

export interface AskedTerms {
  /** The leverage that the request names, where its call does not. */
  readonly leverage: number | undefined
  /** The reason of a stop that is in force. */
  readonly stopReason: string | undefined
  /** The effects that close only what the client itself opened. */
  readonly exits: ReadonlySet<CallEffect>
}

/**
 * The first reason, apart from prices and amounts, why a client's limits refuse a call; undefined
 * when there is none.
 */
export function checkTerms(
  limits: ClientLimits,
  effects: readonly CallEffect[],
  { leverage, stopReason, exits }: AskedTerms,
): Refusal | undefined {
  for (const effect of effects) {
    const isExit = exits.has(effect)
    const refusal =
      checkState(limits, effect, { stopReason, isExit }) ??
      (isExit ? checkLeverage(limits, leverageIn(effect)) : checkOne(limits, effect))
    if (refusal !== undefined) return refusal
  }
  return checkLeverage(limits, leverage)
}

function checkState(
  { state }: ClientLimits,
  effect: CallEffect,
  { stopReason, isExit }: { readonly stopReason: string | undefined; readonly isExit: boolean },
): Refusal | undefined {
  if (effect.kind === 'cancel') return undefined
  if (stopReason !== undefined)
    return refuse('LIMIT_HALTED', `This client is stopped: ${stopReason}`, 'halted')
  if (state === 'halted') {
    const hint = isExit ? '. With the state `reducing` this order would pass' : ''
    const message = `This client is halted: it may only cancel orders${hint}`
    return refuse('LIMIT_HALTED', message, 'halted')
  }
  if (state === 'reducing' && !isExit && !(effect.kind === 'order' && effect.reduces))
    return refuse(
      'LIMIT_REDUCING',
      'This client may only cancel orders and reduce what it holds, and this call does not provably do that',
      'reducing',
    )
  return undefined
}

const leverageIn = (effect: CallEffect) => (effect.kind === 'order' ? effect.leverage : undefined)

function checkOne(limits: ClientLimits, effect: CallEffect): Refusal | undefined {
  if (effect.kind === 'unbounded')
    return refuse('LIMIT_UNVALUED', `A client with limits may not send this: ${effect.why}`, 'none')
  if (effect.kind === 'cancel' || effect.kind === 'setting') return undefined
  // MEXC names the position whose margin changes by its id alone.
  const isNameless = effect.kind === 'margin' && effect.symbol === undefined
  const refusal =
    checkMarket(limits, effect) ?? (isNameless ? undefined : checkSymbol(limits, effect))
  if (effect.kind === 'margin') return refusal
  if (refusal !== undefined) return refusal
  return effect.kind === 'leverage'
    ? checkSetting(limits, effect)
    : checkLeverage(limits, effect.leverage)
}

function checkMarket(
  { markets }: ClientLimits,
  { market }: OrderEffect | LeverageEffect | MarginEffect,
): Refusal | undefined {
  if (markets === null || markets.includes(market)) return undefined
  return refuse('LIMIT_MARKET', `This client may not trade ${market}`, markets.join(', '), market)
}

function checkSymbol(
  { symbols }: ClientLimits,
  { symbol }: OrderEffect | LeverageEffect | MarginEffect,
): Refusal | undefined {
  if (symbols === null) return undefined
  if (symbol !== undefined && symbols.some((pattern) => matches(pattern, symbol))) return undefined
  const what = symbol ?? 'a symbol that the call does not name'
  return refuse('LIMIT_SYMBOL', `This client may not trade ${what}`, symbols.join(', '), symbol)
}

function matches(pattern: string, symbol: string): boolean {
  return pattern.endsWith('*') ? symbol.startsWith(pattern.slice(0, -1)) : symbol === pattern
}

function checkSetting(limits: ClientLimits, { leverage }: LeverageEffect): Refusal | undefined {
  const { maxLeverage } = limits
  if (maxLeverage !== null && leverage === undefined)
    return refuse(
      'LIMIT_LEVERAGE',
      'The call does not say which leverage it sets',
      `${maxLeverage}`,
    )
  return checkLeverage(limits, leverage)
}

function checkLeverage(
  { maxLeverage }: ClientLimits,
  leverage: number | undefined,
): Refusal | undefined {
  if (maxLeverage === null || leverage === undefined || leverage <= maxLeverage) return undefined
  return refuse(
    'LIMIT_LEVERAGE',
    `The leverage of ${leverage} is above the limit of ${maxLeverage}`,
    `${maxLeverage}`,
    `${leverage}`,
  )
}
