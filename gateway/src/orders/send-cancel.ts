import { createHash, randomUUID } from 'node:crypto'
import type { ExchangeCode } from 'schema'
import type { CancelCall } from '../exchanges/cancel-calls.ts'
import type { OrderCall, OrderEnd } from '../exchanges/order-lookup/order-key.ts'
import { resultsOf } from '../exchanges/order-results.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { type StoredResponse, toStoredResponse } from '../upstream/stored-response.ts'
import { createTimings } from '../upstream/timings.ts'
import { foundRawResponse } from './found-response.ts'
import type { OrderRequest, OrderSteps } from './order-request.ts'
import type { PlaceOrder } from './place-order.ts'
import type { WorkingOrder } from './working-orders.ts'

/** The endpoint of a stop's cancels in the journal. */
const STOP_ENDPOINT = '/api/admin/stop'

/** The orders of one client at one exchange. */
export interface ClientOrders {
  readonly clientRef: number
  readonly clientId: string
  readonly exchange: ExchangeCode
}

export interface StopCancel {
  readonly of: ClientOrders
  readonly context: RequestContext
  readonly cancel: CancelCall<WorkingOrder>
  readonly onCancelled: (count: number) => void
  /** Of the stop. */
  readonly reason: string
}

/**
 * Sends a cancel of a stop on the road of all orders, and waits until the journal has its end.
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
      onCancelled(ends.filter(isCancelled).length)
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

export function stopContext({ clientRef, clientId }: ClientOrders): RequestContext {
  return {
    ...{ requestId: randomUUID(), method: 'POST', endpoint: STOP_ENDPOINT },
    ...{ clientRef, clientId, byAdmin: true, endsOrders: true },
    timings: createTimings(),
  }
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

function cancelledIn({ order }: OrderCall, data: unknown): number {
  const results = order === undefined ? [] : resultsOf(order, data)
  return results.filter(({ became }) => became === 'ended').length
}

/** It may have been filled instead. */
function isCancelled(end: OrderEnd): boolean {
  return end !== 'absent' && end.state === 'cancelled'
}
