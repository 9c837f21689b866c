import { positionsOf } from '../account.ts'
import type { ContractOrder } from '../contract-order.ts'
import { OrderRejectedError } from '../errors.ts'
import type { Json } from '../exact-json.ts'
import type { SignedCall } from '../family.ts'
import { fieldNames } from '../params.ts'
import type { Position } from '../position.ts'
import { noExits } from '../trigger-book.ts'
import { contractOf, isOfProduct, productTypeOf } from './mix-scope.ts'
import { BitgetRejection, toBitgetRejection } from './rejection.ts'

const CLOSE_FIELDS = fieldNames('symbol productType marginCoin holdSide requestTime receiveWindow')

/**
 * Flash close: market orders for all that is held, after the orders that would have closed it are
 * cancelled.
 */
export function closePositions(call: SignedCall): Json {
  const { account, params } = call
  params.only(CLOSE_FIELDS)
  const productType = productTypeOf(call)
  const market = params.has('symbol') ? contractOf(call) : undefined
  const holdSide = params.choice('holdSide', ['long', 'short'])
  const held = positionsOf(account, market)
    .filter((position) => isOfProduct(position.market, productType))
    .filter(({ side }) => holdSide === undefined || side === holdSide)
  if (held.length === 0) throw new BitgetRejection('22002', 'No position to close')
  const results = held.map((position) => closeOne(call, position))
  return {
    successList: results.filter(({ errorCode }) => errorCode === undefined),
    failureList: results.filter(({ errorCode }) => errorCode !== undefined),
  }
}

interface CloseResult {
  readonly [name: string]: string | undefined
  readonly orderId: string
  readonly clientOid: string
  readonly symbol: string
  readonly errorCode?: string
  readonly errorMsg?: string
}

/**
 * A market order for all that is held, in place of the orders that would have closed it.
 * @throws OrderRejectedError
 */
export function closePosition(
  { venue, account }: SignedCall,
  { market, slot, side, size, leverage, marginMode }: Position,
  clientId: string,
): ContractOrder {
  venue.contracts.cancelClosing(account, market, slot)
  return venue.contracts.place({
    account,
    market,
    side: side === 'long' ? 'sell' : 'buy',
    slot,
    isReduceOnly: true,
    force: 'ioc',
    price: null,
    size,
    leverage,
    marginMode,
    clientId,
    labels: { force: 'ioc' },
    exits: noExits,
  })
}

function closeOne(call: SignedCall, position: Position): CloseResult {
  const { market } = position
  const clientId = `BITGET#${call.venue.nextId()}`
  try {
    const order = closePosition(call, position, clientId)
    return { orderId: order.id, clientOid: clientId, symbol: market.name }
  } catch (error) {
    if (!(error instanceof OrderRejectedError)) throw error
    const { code, message } = toBitgetRejection(error, 'mix')
    return {
      orderId: '',
      clientOid: clientId,
      symbol: market.name,
      errorCode: code,
      errorMsg: message,
    }
  }
}
