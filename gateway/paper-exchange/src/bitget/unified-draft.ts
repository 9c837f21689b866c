import { contractSettings } from '../account.ts'
import type { ContractDraft } from '../contract-order.ts'
import { type Decimal, isMultipleOf } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import type { SignedCall } from '../family.ts'
import type { Market } from '../market.ts'
import type { Force, SpotDraft } from '../spot-book.ts'
import { type Exit, type Exits, noExits } from '../trigger-book.ts'
import { BitgetRejection } from './calls.ts'
import { contractRulesOf, fromMarginMode } from './mix-views.ts'
import { unifiedClientOid, unifiedMarket } from './unified-views.ts'

export const EXIT_FIELDS =
  'takeProfit stopLoss tpTriggerBy slTriggerBy tpOrderType slOrderType tpLimitPrice slLimitPrice'
/** Of v2's futures order; v3 rejects them (live for holdSide). */
const FOREIGN_FIELDS = ['holdSide', 'tradeSide']
/** With v2's times, and an option of ccxt's own, which it leaves in a market buy. */
const ORDER_FIELDS = fieldNames(
  'category symbol qty price side orderType timeInForce posSide marginMode clientOid reduceOnly',
  'stpMode createMarketBuyOrderRequiresPrice requestTime receiveWindow',
  EXIT_FIELDS,
)
const STP_MODES = ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] as const

/**
 * Reads an order of category SPOT (docs/exchanges/bitget-unified.md, 4.1). `posSide` and
 * `reduceOnly` mean nothing there. @throws BitgetRejection
 */
export function toSpotDraft(call: SignedCall): SpotDraft {
  const market = unifiedMarket(call)
  const { side, price, qty, force, clientId, labels } = common(call)
  if (call.params.has('takeProfit') || call.params.has('stopLoss')) throw noExitsHere()
  const isMarketBuy = price === null && side === 'buy'
  return {
    account: call.account,
    market,
    side,
    force,
    price,
    size: isMarketBuy ? null : qty,
    quoteAmount: isMarketBuy ? qty : null,
    clientId,
    labels,
  }
}

/**
 * Reads an order of category USDT-FUTURES (docs/exchanges/bitget-unified.md, 4.1 and 7).
 * @throws BitgetRejection
 */
export function toContractDraft(call: SignedCall): ContractDraft {
  const market = unifiedMarket(call)
  const { side, price, qty, force, clientId, labels } = common(call)
  const { slot, isClosing } = directionOf(call, side)
  const marginMode = fromMarginMode(
    call.params.choice('marginMode', ['crossed', 'isolated']) ?? 'crossed',
  )
  const { leverage } = contractSettings(call.account, market)
  const isLongSide = (side === 'buy') !== isClosing
  return {
    account: call.account,
    market,
    side,
    slot,
    isReduceOnly: isClosing,
    force,
    price,
    size: qty,
    leverage: leverage[marginMode][isLongSide ? 'long' : 'short'],
    marginMode,
    clientId,
    labels,
    exits: exitsOf(call, market, isClosing),
  }
}

/** The rejection of a take profit or stop loss in a category other than futures. */
export const noExitsHere = () =>
  new BitgetRejection('25593', 'The current trading type does not support TP/SL settings')

/** Take profit and stop loss are for orders that open. */
export const onlyOpening = () =>
  new BitgetRejection(
    '25612',
    'Only opening orders are allowed to have preset take-profit and stop-loss',
  )

function exitsOf(call: SignedCall, market: Market, isClosing: boolean): Exits {
  const exits = newExits(call, market, { takeProfit: '25583', stopLoss: '25584' })
  if (isClosing && (exits.takeProfit ?? exits.stopLoss) !== null) throw onlyOpening()
  return isClosing ? noExits : exits
}

interface Common {
  readonly side: 'buy' | 'sell'
  readonly price: Decimal | null
  readonly qty: Decimal
  readonly force: Force
  readonly clientId: string
  readonly labels: Readonly<Record<string, string>>
}

function common(call: SignedCall): Common {
  const { params } = call
  const foreign = FOREIGN_FIELDS.find((name) => params.has(name))
  if (foreign !== undefined) throw wrongOpenType(`${foreign} is not a field of v3`)
  params.only(ORDER_FIELDS)
  const side = params.requiredChoice('side', ['buy', 'sell'])
  const isMarket = params.requiredChoice('orderType', ['limit', 'market']) === 'market'
  const timeInForce = params.choice('timeInForce', ['gtc', 'post_only', 'fok', 'ioc']) ?? 'gtc'
  const qty = params.decimal('qty')
  if (qty === undefined) throw params.problems.missing('qty')
  const price = params.decimal('price')
  if (!isMarket && price === undefined) throw params.problems.missing('price')
  return {
    side,
    price: isMarket ? null : (price ?? null),
    qty,
    force: isMarket ? 'ioc' : timeInForce === 'post_only' ? 'post-only' : timeInForce,
    clientId: unifiedClientOid(call),
    labels: { force: timeInForce, stpMode: params.choice('stpMode', STP_MODES) ?? 'none' },
  }
}

const wrongOpenType = (detail: string) =>
  new BitgetRejection('25236', `Incorrect position open type: ${detail}`)

/**
 * Other than in v2, `side` is what the order does on the market, and `posSide` names the position
 * in hedge mode: with a wrong one the order opens a position instead of closing one. What v3 makes
 * of `posSide` in one-way mode and of `reduceOnly` in hedge mode is not established [?]; here they
 * are not looked at.
 */
function directionOf(
  { account, params }: SignedCall,
  side: 'buy' | 'sell',
): { readonly slot: 'net' | 'long' | 'short'; readonly isClosing: boolean } {
  const posSide = params.choice('posSide', ['long', 'short'])
  const isReduceOnly = params.choice('reduceOnly', ['yes', 'no']) === 'yes'
  if (account.futures.positionMode === 'one-way') return { slot: 'net', isClosing: isReduceOnly }
  if (posSide === undefined) throw wrongOpenType('posSide is needed in hedge mode')
  return { slot: posSide, isClosing: (side === 'buy') !== (posSide === 'long') }
}

const LEGS = {
  takeProfit: { prefix: 'tp', triggerScale: '25606', limitScale: '25608' },
  stopLoss: { prefix: 'sl', triggerScale: '25607', limitScale: '25609' },
} as const

/** Codes for a trigger price of 0, which an order and a strategy order reject with their own. */
type ZeroCodes = Readonly<Record<keyof Exits, string>>

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
