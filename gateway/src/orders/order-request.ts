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
  /** Tells payloads apart. */
  readonly fingerprint: string
  readonly idempotencyKey: string | null
  readonly jobClass: 'order' | 'cancel'
}

/** What differs between the endpoints: `place-order.ts` takes these steps, in this order. */
export interface OrderSteps<Result> {
  /** The exchange's response passes through unread, a rejection too. */
  readonly raw: boolean
  /** Checks the request and builds what is sent. @throws OrderInvalidError */
  build(): OrderCall | Promise<OrderCall>
  /** Orders of one client with the same turn are carried out one after another. */
  readonly turn?: string | undefined
  /** Sets at the exchange what the order needs, such as its leverage; harmless when it happens twice. */
  prepare?(context: RequestContext): Promise<void>
  /**
   * The result from the exchange's response.
   * @param data of a response that says done
   * @throws ExchangeResponseUnclearError when it does not name the order
   */
  read(data: unknown, response: UpstreamResponse): Result
  /** The result from the order that was found, where the response was lost. @param nowMs exchange time */
  fromFound(key: OrderKey, ends: readonly OrderEnd[], nowMs: number): Result
  /** What comes after an order that stands; must not throw. */
  finish?(context: RequestContext, result: Result): Promise<Result>
  respond(result: Result): StoredResponse
}
