import { OrderRejectedError } from '../errors.ts'
import { type Json, type ReceivedJson, readJson } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { isList, isObject, Params } from '../params.ts'
import { orderWeight, twicePerSecond } from './spot-limits.ts'
import { placeOrder } from './spot-orders.ts'
import { SpotRejection, spotProblems, toSpotRejection } from './spot-rejection.ts'
import { orderIdOf } from './spot-views.ts'

const BATCH_MAX = 20

/** Orders of MEXC spot that come together, below `/api/v3`. */
export const spotBatchEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/batchOrders',
    access: 'trade',
    limit: [twicePerSecond, ...orderWeight(10)],
    respond: (call) => entriesOf(call).map((entry) => placeOneOfMany(call, entry)),
  },
]

/** The list is the text of a JSON array in one parameter. @throws SpotRejection */
function entriesOf({ params }: SignedCall): readonly ReceivedJson[] {
  const entries = readList(params.required('batchOrders'))
  if (entries === undefined || entries.length === 0 || entries.length > BATCH_MAX)
    throw spotProblems.malformed('batchOrders')
  return entries
}

function readList(text: string): readonly ReceivedJson[] | undefined {
  try {
    const value = readJson(text)
    return isList(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A rejected entry says so; the response as a whole is still a success. */
function placeOneOfMany(call: SignedCall, entry: ReceivedJson): Json {
  if (!isObject(entry)) throw spotProblems.malformed('batchOrders')
  const params = new Params(new Map(Object.entries(entry)), spotProblems)
  const newClientOrderId = params.text('newClientOrderId')
  try {
    const order = placeOrder({ ...call, params })
    const ids = { symbol: order.market.name, orderId: orderIdOf(order) }
    return { ...ids, newClientOrderId: order.clientId, orderListId: -1 }
  } catch (error) {
    const rejection = error instanceof OrderRejectedError ? toSpotRejection(error) : error
    if (!(rejection instanceof SpotRejection)) throw error
    return { newClientOrderId, msg: rejection.message, code: rejection.code }
  }
}
