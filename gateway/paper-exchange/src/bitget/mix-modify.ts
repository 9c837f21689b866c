import type { ContractOrder } from '../contract-order.ts'
import { OrderRejectedError } from '../errors.ts'
import type { Json } from '../exact-json.ts'
import type { SignedCall } from '../family.ts'
import { isUntouched } from '../order-shelf.ts'
import { fieldNames } from '../params.ts'
import { clientOidOf } from './client-oid.ts'
import { exitAt } from './mix-draft.ts'
import { rejectDuplicate, wantedOrder } from './mix-lookup.ts'
import { BitgetRejection, bitgetProblems } from './rejection.ts'

const CHANGE_FIELDS = fieldNames(
  'orderId clientOid symbol productType marginCoin newClientOid newSize newPrice',
  'newPresetStopSurplusPrice newPresetStopSurplusExecutePrice',
  'newPresetStopLossPrice newPresetStopLossExecutePrice requestTime receiveWindow',
)

/**
 * Size and price together cancel the order and place another one when the exchange gets to it: the
 * response comes first, and the new order is found by `newClientOid`. Attached prices change in
 * place.
 */
export function modifyOrder(call: SignedCall): Json {
  const { params, venue } = call
  params.only(CHANGE_FIELDS)
  const order = wantedOrder(call)
  if (order === undefined)
    throw new BitgetRejection('40109', 'The data of the order cannot be found')
  if (!params.has('newClientOid'))
    throw new BitgetRejection('22003', 'newClientOid cannot be empty')
  const newClientOid = clientOidOf(call, 'newClientOid')
  rejectDuplicate(call, newClientOid)
  if (!isUntouched(order)) {
    throw new BitgetRejection('45055', 'Only an order that has not traded can be modified')
  }
  const [newSize, newPrice] = [params.decimal('newSize'), params.decimal('newPrice')]
  if (newSize === undefined && newPrice === undefined) return changeExits(call, order)
  if (newSize === undefined) throw bitgetProblems.missing('newSize')
  if (newPrice === undefined) throw bitgetProblems.missing('newPrice')
  venue.later(venue.habits.bitgetModifyDelayMs, () => {
    if (order.status !== 'open') return
    venue.contracts.cancel(order, 'modified')
    try {
      venue.contracts.place({ ...order, clientId: newClientOid, size: newSize, price: newPrice })
    } catch (error) {
      // The caller has its response already: the new order is simply never found.
      if (!(error instanceof OrderRejectedError)) throw error
    }
  })
  return { orderId: order.id, clientOid: newClientOid }
}

/** Giving only one of the two drops the other, and 0 takes it away. */
function changeExits(call: SignedCall, order: ContractOrder): Json {
  const { params, venue } = call
  if (!params.has('newPresetStopSurplusPrice') && !params.has('newPresetStopLossPrice')) {
    throw new BitgetRejection('40923', 'Order size and price have not changed')
  }
  venue.contracts.setExits(order, {
    takeProfit: exitAt(call, 'newPresetStopSurplusPrice', 'newPresetStopSurplusExecutePrice'),
    stopLoss: exitAt(call, 'newPresetStopLossPrice', 'newPresetStopLossExecutePrice'),
  })
  return { orderId: order.id, clientOid: order.clientId }
}
