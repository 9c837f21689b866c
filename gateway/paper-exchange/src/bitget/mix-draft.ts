import { contractSettings } from '../account.ts'
import type { ContractDraft } from '../contract-order.ts'
import type { SignedCall } from '../family.ts'
import { fieldNames } from '../params.ts'
import type { Exit } from '../trigger-book.ts'
import { clientOidOf } from './client-oid.ts'
import { checkMarginCoin, contractOf } from './mix-scope.ts'
import { fromMarginMode } from './mix-views.ts'
import { BitgetRejection, bitgetProblems } from './rejection.ts'

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
