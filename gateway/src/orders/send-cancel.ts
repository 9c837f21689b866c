import { createHash, randomUUID } from 'node:crypto'
import { cancelOwnOrders, type ExchangeCode } from 'schema'
import {
  type OrderCall,
  type OrderEnd,
  type OrderKey,
  ordersOf,
} from '../exchanges/order-lookup/order-key.ts'
import type { ToCancel } from '../exchanges/order-lookup/order-protocol.ts'
import type { CancelCall } from '../exchanges/order-lookups.ts'
import { resultsOf } from '../exchanges/order-results.ts'
import { createTimings, type RequestContext } from '../upstream/request-context.ts'
import { type StoredResponse, toStoredResponse } from '../upstream/responses.ts'
import {
  foundRawResponse,
  type OrderRequest,
  type OrderSteps,
  STOP_ENDPOINT,
} from './order-request.ts'
import type { PlaceOrder } from './place-order.ts'
import type { WorkingOrder } from './working-order.ts'

/** The request in the journal of the cancels that a client makes itself. */
const cancelOwnOrdersRequest = { method: cancelOwnOrders.method, endpoint: cancelOwnOrders.path }

/** The orders of one client at one exchange. */
export interface ClientOrders {
  readonly clientRef: number
  readonly clientId: string
  readonly exchange: ExchangeCode
  /** Absent: all of them, for a stop. */
  readonly only?: OnlyOrders | undefined
}

/** Some of the orders of a client, which it cancels itself. */
export interface OnlyOrders {
  readonly has: (order: WorkingOrder) => boolean
  /** Requests that were on their way: their orders are among them. */
  readonly requests: ReadonlySet<string>
}

/** An order that was cancelled: what is known of its ids. */
export type CancelledOrder = Pick<ToCancel, 'orderId' | 'clientOrderId'>

interface StopCancel {
  readonly of: ClientOrders
  readonly context: RequestContext
  readonly cancel: CancelCall<WorkingOrder>
  readonly onCancelled: (orders: readonly CancelledOrder[]) => void
  /** Of the stop, or why the client cancels. */
  readonly reason: string
}

/**
 * Sends a cancel, of a stop or of a client, on the road of all orders, and waits until the journal
 * has its end.
 * @returns the error that it ended with; undefined when the exchange took it
 */
export async function sendCancel(
  placeOrder: Pick<PlaceOrder, 'place'>,
  { of, context, cancel, onCancelled, reason }: StopCancel,
): Promise<unknown> {
  const { orderCall } = cancel
  const steps: OrderSteps<StoredResponse> = {
    raw: false,
    build: () => orderCall,
    read(data, response) {
      onCancelled(cancelledIn(orderCall, data))
      return toStoredResponse(response)
    },
    fromFound(key, ends, nowMs) {
      const orders = ordersOf(key)
      onCancelled(orders.filter((_, at) => isCancelled(ends[at])).map(idsOf))
      return foundRawResponse(key, ends, nowMs)
    },
    respond: (response) => response,
  }
  try {
    const request = requestOf(of, context, { body: orderCall.call.body, reason })
    const placed = await placeOrder.place(request, context, steps)
    await placed.response
    await placed.ended
    return undefined
  } catch (error) {
    return error
  }
}

/** A stop's calls are made although the exchange is stopped, a client's own only as any cancel. */
export function cancelContext({ clientRef, clientId, only }: ClientOrders): RequestContext {
  const asked =
    only === undefined
      ? ({ method: 'POST', endpoint: STOP_ENDPOINT, byAdmin: true, endsOrders: true } as const)
      : ({ ...cancelOwnOrdersRequest, permission: 'trade' } as const)
  return { requestId: randomUUID(), clientRef, clientId, ...asked, timings: createTimings() }
}

function requestOf(
  { clientRef, clientId, exchange }: ClientOrders,
  { requestId, method, endpoint }: RequestContext,
  { body, reason }: { readonly body: string | null; readonly reason: string },
): OrderRequest {
  const fingerprint = createHash('sha256').update(`${requestId} ${body}`).digest('hex')
  return {
    ...{ id: requestId, clientRef, clientId, exchange, method, endpoint, fingerprint },
    idempotencyKey: null,
    jobClass: 'cancel',
    stopReason: reason,
  }
}

function cancelledIn({ order }: OrderCall, data: unknown): CancelledOrder[] {
  const results = order === undefined ? [] : resultsOf(order, data)
  return results.filter(({ became }) => became === 'ended').map((result) => idsOf(result.order))
}

function idsOf({ orderId, clientOrderId }: OrderKey): CancelledOrder {
  return { orderId: orderId ?? null, clientOrderId: clientOrderId ?? null }
}

/** It may have been filled instead. */
function isCancelled(end: OrderEnd | undefined): boolean {
  return end !== undefined && end !== 'absent' && end.state === 'cancelled'
}
