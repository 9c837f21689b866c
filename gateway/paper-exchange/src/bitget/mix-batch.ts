import type { ContractOrder } from '../contract-order.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { inBatch } from './batch.ts'
import { cancelOrder, placeOrder } from './mix-orders.ts'
import { contractOf, isOfProduct, productTypeOf } from './mix-scope.ts'
import { perSecond } from './spot-market.ts'

/** Orders of Bitget futures that come or go together, below `/api/v2/mix`. */
export const mixBatchEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/order/batch-place-order',
    access: 'trade',
    limit: perSecond(5),
    respond: (call) =>
      inBatch(
        call,
        {
          list: 'orderList',
          shared: ['symbol', 'productType', 'marginCoin', 'marginMode'],
          market: 'mix',
        },
        placeOrder,
      ),
  },
  {
    method: 'POST',
    path: '/order/batch-cancel-orders',
    access: 'trade',
    limit: perSecond(10),
    respond(call) {
      const shared = ['symbol', 'productType', 'marginCoin']
      if (call.params.list('orderIdList') === undefined) return cancelAll(call)
      return inBatch(call, { list: 'orderIdList', shared, market: 'mix' }, cancelOrder)
    },
  },
  {
    method: 'POST',
    path: '/order/cancel-all-orders',
    access: 'trade',
    limit: perSecond(10),
    respond: cancelAll,
  },
]

/** Everything of the symbol, or of the product type when none is named. */
function cancelAll(call: SignedCall): Json {
  const { venue, account, params } = call
  const productType = productTypeOf(call)
  const market = params.has('symbol') ? contractOf(call) : undefined
  const cancelled = venue.contracts.orders
    .open(account.name)
    .filter((order) => isOfProduct(order.market, productType))
    .filter((order) => market === undefined || order.market === market)
    .map((order) => venue.contracts.cancel(order))
  return { successList: cancelled.map(toIds), failureList: [] }
}

const toIds = ({ id, clientId }: ContractOrder): Json => ({ orderId: id, clientOid: clientId })
