import { EXCHANGE_NAMES, type ExchangeCode, type FieldProblem } from 'schema'
import type { UpstreamResponse } from '../exchanges/exchange.ts'
import type { OrderCall, OrderEnd, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { documentedResponseFor, foundResponseFor } from '../exchanges/order-lookups.ts'
import {
  checkOrder,
  type OrderProblem,
  type OrderToCheck,
  type RulesKey,
  type SymbolRules,
} from '../exchanges/symbol-rules.ts'
import type { AskedFor, JournalRow } from '../store/journal-store.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { JSON_TYPE, jsonResponse, type StoredResponse } from '../upstream/responses.ts'
import type { RulesCache } from '../upstream/rules-cache.ts'
import { OrderInvalidError } from './errors.ts'

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

/** An error as the caller of a request gets it; on an exchange's own path, in its form. */
export type ToErrorResponse = (
  error: unknown,
  request: Pick<OrderRequest, 'id' | 'endpoint'>,
) => StoredResponse

/** The endpoint of a stop's cancels in the journal. */
export const STOP_ENDPOINT = '/api/admin/stop'

/** What differs between the endpoints. `run-order.ts` runs these steps in this order. */
export interface OrderSteps<Result> {
  /** Whether the exchange's response, even a rejection, is passed on unchanged. */
  readonly raw: boolean
  /**
   * Sending the call twice does no more than sending it once; absent: it may. It matters only for
   * calls that name no orders.
   */
  readonly isRepeatable?: boolean
  /** What the caller asked for: lists show it of a request whose call could not be built. */
  readonly asked?: AskedFor
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

const WHAT = { spot: 'spot symbol', futures: 'futures contract' } as const

/**
 * Checks an order against the exchange's rules for its symbol and returns the rules.
 * @param names the caller's names of the fields, where they differ
 * @throws OrderInvalidError with every wrong field; what reading the rules throws
 */
export async function checkRules(
  rules: RulesCache,
  key: RulesKey,
  order: OrderToCheck,
  names: Partial<Record<OrderProblem['field'], string>> = {},
): Promise<SymbolRules> {
  const found = await rules.get(key)
  if (found === undefined)
    throw new OrderInvalidError([
      {
        field: 'symbol',
        message: `${EXCHANGE_NAMES[key.exchange]} has no ${WHAT[key.market]} "${key.symbol}"`,
      },
    ])
  rejectProblems(
    checkOrder(found, order).map(({ field, message }) => ({
      field: names[field] ?? field,
      message,
    })),
  )
  return found
}

/** @throws OrderInvalidError with all problems, when there are any */
export function rejectProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new OrderInvalidError(problems)
}

/**
 * Builds the response to an order from the order that was found at the exchange. On the documented
 * routes, which are about one order, it has the documented form; on the others it has the
 * exchange's own form.
 * @param nowMs exchange time
 */
export function toFoundResponse(
  { endpoint }: Pick<JournalRow, 'endpoint'>,
  key: OrderKey,
  ends: readonly OrderEnd[],
  nowMs: number,
): StoredResponse {
  return endpoint.startsWith(`/api/${key.exchange}/v1/`)
    ? jsonResponse(200, documentedResponseFor(key, ends))
    : foundRawResponse(key, ends, nowMs)
}

export function foundRawResponse(
  key: OrderKey,
  ends: readonly OrderEnd[],
  nowMs: number,
): StoredResponse {
  const { status, body } = foundResponseFor(key, ends, nowMs)
  return { statusCode: status, contentType: JSON_TYPE, body }
}

/** The steps that all documented routes share. Their response has the gateway's own form. */
export const documentedSteps = {
  raw: false,
  fromFound: (key: OrderKey, ends: readonly OrderEnd[]): object => documentedResponseFor(key, ends),
  respond: (result: object) => jsonResponse(200, result),
} as const
