import { OrderRejectedError } from '../errors.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { fieldNames, Params } from '../params.ts'
import { inBatch } from './batch.ts'
import { BitgetRejection, bitgetProblems, toBitgetRejection } from './rejection.ts'
import { perSecond } from './spot-market.ts'
import { cancelOrder, placeOrder } from './spot-orders.ts'
import { spotMarketNamed } from './spot-views.ts'

/** With the type, which ccxt names. */
const REPLACE_FIELDS = fieldNames(
  'symbol price size orderId clientOid newClientOid orderType requestTime receiveWindow',
  'presetTakeProfitPrice executeTakeProfitPrice presetStopLossPrice executeStopLossPrice',
)
const batch = { list: 'orderList', shared: ['symbol'], market: 'spot' } as const

/** Orders of Bitget spot that come or go together, below `/api/v2/spot`. */
export const spotBatchEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/trade/batch-orders',
    access: 'trade',
    limit: perSecond(5),
    respond: (call) => inBatch(call, batch, placeOrder),
  },
  {
    method: 'POST',
    path: '/trade/batch-cancel-order',
    access: 'trade',
    limit: perSecond(10),
    respond: (call) => inBatch(call, batch, cancelOrder),
  },
  {
    method: 'POST',
    path: '/trade/cancel-symbol-order',
    access: 'trade',
    limit: perSecond(5),
    respond({ venue, account, params }) {
      const market = spotMarketNamed(venue, params.required('symbol'))
      for (const order of venue.spot.orders.open(account.name)) {
        if (order.market === market) venue.spot.cancel(order)
      }
      return { symbol: market.name }
    },
  },
  {
    method: 'POST',
    path: '/trade/cancel-replace-order',
    access: 'trade',
    limit: perSecond(5),
    respond: cancelReplace,
  },
  {
    method: 'POST',
    path: '/trade/batch-cancel-replace-order',
    access: 'trade',
    limit: perSecond(5),
    respond(call) {
      const entries = call.params.objects('orderList')
      if (entries === undefined || entries.length === 0) throw bitgetProblems.missing('orderList')
      return entries.map((params) => cancelReplaceOneOfMany({ ...call, params }))
    },
  },
]

/** An entry whose old order cannot be cancelled reports that in its own place. */
function cancelReplaceOneOfMany(call: SignedCall): Json {
  try {
    return cancelReplace(call)
  } catch (error) {
    return toFailure(error)
  }
}

/** The old order goes first: when the new one is rejected there is none left. */
function cancelReplace(call: SignedCall): Json {
  const { venue, account, params } = call
  params.only(REPLACE_FIELDS)
  const { orderId } = cancelOrder(call)
  const old = venue.spot.orders.byId(account.name, orderId)
  if (old === undefined) throw bitgetProblems.missing('orderId')
  const fields = new Map(
    Object.entries({
      symbol: old.market.name,
      side: old.side,
      orderType: 'limit',
      force: old.labels.force ?? 'gtc',
      price: params.required('price'),
      size: params.required('size'),
      clientOid: params.text('newClientOid') ?? '',
    }),
  )
  try {
    const ids = placeOrder({ ...call, params: new Params(fields, bitgetProblems) })
    return { ...ids, success: 'success', msg: null }
  } catch (error) {
    return toFailure(error)
  }
}

/** @throws what is no rejection */
function toFailure(error: unknown): Json {
  const rejection = error instanceof OrderRejectedError ? toBitgetRejection(error, 'spot') : error
  if (!(rejection instanceof BitgetRejection)) throw error
  return { orderId: null, clientOid: null, success: 'failure', msg: rejection.message }
}
