import { contractSettings } from '../account.ts'
import type { ContractDraft } from '../contract-order.ts'
import type { Decimal } from '../decimal.ts'
import type { SignedCall } from '../family.ts'
import type { Force, SpotDraft } from '../spot-book.ts'
import type { Exits } from '../trigger-book.ts'
import { exitAt } from './mix-draft.ts'
import { fromMarginMode } from './mix-views.ts'
import { BitgetRejection } from './rejection.ts'
import { unifiedClientOid } from './unified-lookup.ts'
import { unifiedMarket } from './unified-scope.ts'

/** Reads an order of category SPOT (docs/exchanges/bitget.md, 11). @throws BitgetRejection */
export function toSpotDraft(call: SignedCall): SpotDraft {
  const { side, price, qty, force, timeInForce, clientId } = common(call)
  const isMarketBuy = price === null && side === 'buy'
  return {
    account: call.account,
    market: unifiedMarket(call),
    side,
    force,
    price,
    size: isMarketBuy ? null : qty,
    quoteAmount: isMarketBuy ? qty : null,
    clientId,
    labels: { force: timeInForce },
  }
}

/**
 * Reads an order of category USDT-FUTURES (docs/exchanges/bitget.md, 11).
 * @throws BitgetRejection
 */
export function toContractDraft(call: SignedCall): ContractDraft {
  const { side, price, qty, force, timeInForce, clientId } = common(call)
  const market = unifiedMarket(call)
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
    labels: { force: timeInForce },
    exits: exitsOf(call),
  }
}

/** Take profit and stop loss that come with an order. @throws BitgetRejection */
export const exitsOf = (call: SignedCall): Exits => ({
  takeProfit: exitAt(call, 'takeProfit', 'tpLimitPrice'),
  stopLoss: exitAt(call, 'stopLoss', 'slLimitPrice'),
})

interface Common {
  readonly side: 'buy' | 'sell'
  readonly price: Decimal | null
  readonly qty: Decimal
  readonly force: Force
  readonly timeInForce: string
  readonly clientId: string
}

function common(call: SignedCall): Common {
  const { params } = call
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
    timeInForce,
    clientId: unifiedClientOid(call),
  }
}

/**
 * Other than in v2, `side` is what the order does on the market, and `posSide` names the position
 * in hedge mode.
 */
function directionOf(
  { account, params }: SignedCall,
  side: 'buy' | 'sell',
): { readonly slot: 'net' | 'long' | 'short'; readonly isClosing: boolean } {
  const posSide = params.choice('posSide', ['long', 'short'])
  const isReduceOnly = params.choice('reduceOnly', ['yes', 'no']) === 'yes'
  // What v3 makes of a `posSide` in one-way mode is not established; here it is not looked at.
  if (account.futures.positionMode === 'one-way') return { slot: 'net', isClosing: isReduceOnly }
  if (posSide === undefined) throw new BitgetRejection('25236', 'posSide is needed in hedge mode')
  return { slot: posSide, isClosing: (side === 'buy') !== (posSide === 'long') }
}
