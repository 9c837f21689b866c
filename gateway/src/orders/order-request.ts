import type { ExchangeCode } from 'schema'
import type { UpstreamResponse } from '../exchanges/exchange.ts'
import type { OrderCall, OrderEnd, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { StoredResponse } from '../upstream/stored-response.ts'

/** A request that places, changes or cancels an order. */
export interface OrderRequest {
  /** The request's id. */
  readonly id: string
  readonly clientRef: number
  readonly clientId: string
  readonly exchange: ExchangeCode
  readonly method: string
  readonly endpoint: string
  /** Distinguishes payloads that were sent with the same idempotency key. */
  readonly fingerprint: string
  readonly idempotencyKey: string | null
  readonly jobClass: 'order' | 'cancel'
  /** Of the stop whose cancel this is, or why the client cancels its own orders. */
  readonly stopReason?: string
}

/** What differs between the endpoints. `run-order.ts` runs these steps in this order. */
export interface OrderSteps<Result> {
  /** Whether the exchange's response, even a rejection, is passed on unchanged. */
  readonly raw: boolean
  /**
   * Sending the call twice does no more than sending it once; absent: it may. It matters only for
   * calls that name no orders.
   */
  readonly isRepeatable?: boolean
  /** Checks the request and builds the call to the exchange. @throws OrderInvalidError */
  build(context: RequestContext): OrderCall | Promise<OrderCall>
  /** The bot gave a client order id to one of the orders that the call places. */
  readonly hasOwnId?: boolean
  /** `build` makes another call for each kind of account. */
  readonly isByAccountKind?: boolean
  /** Orders of one client with the same turn are carried out one after another. */
  readonly turn?: string | undefined
  /** The leverage that `prepare` sets. */
  readonly leverage?: number | undefined
  /**
   * Sets up at the exchange what the order needs, such as its leverage. Running it twice is
   * harmless.
   */
  prepare?(context: RequestContext): Promise<void>
  /**
   * Reads the result from the exchange's response.
   * @param data of a response whose verdict is done
   * @throws ExchangeResponseUnclearError when it does not name the order
   */
  read(data: unknown, response: UpstreamResponse): Result
  /**
   * Builds the result from the order that a look-up found, when the response was lost.
   * @param nowMs exchange time
   */
  fromFound(key: OrderKey, ends: readonly OrderEnd[], nowMs: number): Result
  /** Runs after the order was placed; must not throw. */
  finish?(context: RequestContext, result: Result): Promise<Result>
  respond(result: Result): StoredResponse
}
