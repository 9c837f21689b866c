import { contractSettings, positionAt } from '../account.ts'
import type { ContractDraft, ContractOrder } from '../contract-order.ts'
import { minOf } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import type { SignedCall } from '../family.ts'
import type { Exit } from '../trigger-book.ts'
import { BitgetRejection, bitgetProblems, clientOidOf } from './calls.ts'
import { checkMarginCoin, contractOf, fromMarginMode } from './mix-views.ts'

const ORDER_FIELDS = fieldNames(
  'symbol productType marginMode marginCoin size price side tradeSide orderType force clientOid',
  'reduceOnly stpMode requestTime receiveWindow',
  'presetStopSurplusPrice presetStopSurplusType presetStopSurplusExecutePrice',
  'presetStopLossPrice presetStopLossType presetStopLossExecutePrice',
)

/** Reads the body of an order (docs/exchanges/bitget.md, 4.2). @throws BitgetRejection */
export function toDraft(call: SignedCall): ContractDraft {
  const { account, params } = call
  params.only(ORDER_FIELDS)
  const market = contractOf(call)
  checkMarginCoin(call, market, true)
  const marginMode = fromMarginMode(params.requiredChoice('marginMode', ['isolated', 'crossed']))
  const isMarket = params.requiredChoice('orderType', ['limit', 'market']) === 'market'
  const force = params.choice('force', ['gtc', 'post_only', 'fok', 'ioc']) ?? 'gtc'
  const size = params.decimal('size')
  if (size === undefined) throw bitgetProblems.missing('size')
  const price = params.decimal('price')
  if (!isMarket && price === undefined) throw bitgetProblems.missing('price')
  const direction = directionOf(call)
  const settings = contractSettings(account, market)
  const isLongSide = (direction.side === 'buy') !== direction.isClosing
  return {
    account,
    market,
    side: direction.side,
    slot: direction.slot,
    isReduceOnly: direction.isClosing,
    force: isMarket ? 'ioc' : force === 'post_only' ? 'post-only' : force,
    price: isMarket ? null : (price ?? null),
    size,
    leverage: settings.leverage[marginMode][isLongSide ? 'long' : 'short'],
    marginMode,
    clientId: clientOidOf(call),
    labels: { force },
    exits: {
      takeProfit: exitAt(call, 'presetStopSurplusPrice', 'presetStopSurplusExecutePrice'),
      stopLoss: exitAt(call, 'presetStopLossPrice', 'presetStopLossExecutePrice'),
    },
  }
}

interface Direction {
  readonly side: 'buy' | 'sell'
  readonly slot: 'net' | 'long' | 'short'
  readonly isClosing: boolean
}

/**
 * In hedge mode `side` names the position, not the trade: closing a long is side buy, tradeSide
 * close, and sells. In one-way mode `tradeSide` is ignored.
 */
function directionOf({ account, params }: SignedCall): Direction {
  const side = params.requiredChoice('side', ['buy', 'sell'])
  const tradeSide = params.choice('tradeSide', ['open', 'close'])
  const isReduceOnly = params.choice('reduceOnly', ['YES', 'NO']) === 'YES'
  if (account.futures.positionMode === 'one-way')
    return { side, slot: 'net', isClosing: isReduceOnly }
  if (tradeSide === undefined || isReduceOnly) {
    throw new BitgetRejection(
      '40774',
      'The order type for unilateral position must also be the unilateral position type.',
    )
  }
  const slot = side === 'buy' ? 'long' : 'short'
  const isClosing = tradeSide === 'close'
  const opposite = side === 'buy' ? 'sell' : 'buy'
  return { side: isClosing ? opposite : side, slot, isClosing }
}

/** Null when no price is given, or 0, which takes an exit away. @throws BitgetRejection */
export function exitAt(
  { params }: SignedCall,
  triggerName: string,
  limitName: string,
  watches: Exit['watches'] = 'last',
): Exit | null {
  const trigger = params.decimal(triggerName)
  const limit = params.decimal(limitName)
  if (trigger === undefined || trigger.isZero()) return null
  return { trigger, limit: limit === undefined || limit.isZero() ? null : limit, watches }
}

/**
 * What Bitget makes of a closing order that is too large. One-way: it shrinks to what is held, and
 * orders that it displaces are cancelled. Hedge, market: when resting orders occupy all that is
 * held they give way, when they occupy a part the order closes the rest (documentation, since
 * 2025-07-31).
 */
export function fitReduceOnly(call: SignedCall, draft: ContractDraft): ContractDraft {
  const { contracts } = call.venue
  const { account, market, slot } = draft
  const held = positionAt(account, market, slot)
  if (!draft.isReduceOnly || held === undefined) return draft
  if (slot !== 'net' && draft.price !== null) return draft
  const occupied = contracts.closing(account, market, slot)
  if (slot === 'net' ? isDisplacing(call, draft) : occupied.gte(held.size)) {
    contracts.cancelClosing(account, market, slot)
    return { ...draft, size: minOf(draft.size, held.size) }
  }
  return { ...draft, size: minOf(draft.size, held.size.minus(occupied)) }
}

/**
 * One-way mode: whether a closing order takes the place of those that rest, because it is as large
 * as the position or larger than what they leave of it (page of v3's place-order).
 */
export function isDisplacing({ venue }: SignedCall, draft: ContractDraft): boolean {
  const { account, market, slot, size, isReduceOnly } = draft
  const held = positionAt(account, market, slot)
  if (!isReduceOnly || held === undefined) return false
  const occupied = venue.contracts.closing(account, market, slot)
  return !occupied.isZero() && (size.gte(held.size) || size.gt(held.size.minus(occupied)))
}

/**
 * A clientOid is taken while its order is pending, and free again after (docs/exchanges/bitget.md,
 * 7: the best-practice page of 2026).
 * @throws BitgetRejection 40786
 */
export function rejectDuplicate({ venue, account }: SignedCall, clientId: string): void {
  if (venue.habits.bitgetDuplicates === 'accept') return
  const known = venue.contracts.orders.byClientId(account.name, clientId)
  if (known.some(({ status }) => status === 'open'))
    throw new BitgetRejection('40786', 'Duplicate clientOid')
}

/**
 * By `orderId`, which wins, or by `clientOid`; of the contract that is named.
 * @throws BitgetRejection
 */
export function wantedOrder(call: SignedCall): ContractOrder | undefined {
  const { venue, account, params } = call
  const market = contractOf(call)
  const orderId = params.text('orderId')
  const clientOid = params.text('clientOid')
  if (orderId === undefined && clientOid === undefined) throw bitgetProblems.missing('orderId')
  const order =
    orderId === undefined
      ? venue.contracts.orders.byClientId(account.name, clientOid ?? '')[0]
      : venue.contracts.orders.byId(account.name, orderId)
  return order?.market === market ? order : undefined
}
