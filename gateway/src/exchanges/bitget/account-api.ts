import type {
  AccountKind,
  BgAccountRow,
  BodyOf,
  bgAllPositions,
  bgFuturesCancelOrder,
  bgFuturesDetail,
  bgFuturesHistory,
  bgGetAccountInfo,
  bgSinglePosition,
  bgSpotCancelOrder,
  bgSpotHistory,
  bgSpotOrderInfo,
  FieldProblem,
  QueryOf,
} from 'schema'
import type { UpstreamCall } from '../exchange.ts'
import type { OrderCall } from '../order-lookup/order-key.ts'
import type { ExchangeObject } from '../protocol/response-parts.ts'
import { classicApi } from './classic/documented.ts'
import type { FuturesOrder, ModifyOrder, SpotOrder } from './documented.ts'
import { unifiedApi } from './unified/documented.ts'

/** How the calls of a documented route are made, and what time it is. */
export interface BitgetCalls {
  /** Sends one call through the queue, and returns what `read` makes of the response's data. */
  readonly ask: <T>(call: UpstreamCall, read: (data: unknown) => T) => Promise<T>
  /** Unix ms. */
  readonly nowMs: () => number
}

/**
 * The documented routes for one kind of account. Both kinds take the same requests and give the
 * same fields (docs/exchanges/bitget-unified.md, 3 to 7).
 */
export interface BitgetAccountApi {
  placeSpotOrder(order: SpotOrder, clientOid: string): OrderCall
  /** @throws OrderIdMissingError */
  cancelSpotOrder(ref: BodyOf<typeof bgSpotCancelOrder>): OrderCall
  placeFuturesOrder(order: FuturesOrder, clientOid: string): OrderCall
  /**
   * @param newClientOid for the order that the change makes, otherwise for the change itself
   * @throws OrderIdMissingError
   */
  modifyFuturesOrder(change: ModifyOrder, newClientOid: string): OrderCall
  /** The client order id after a change, for a response that does not repeat it. */
  clientOidAfter(change: ModifyOrder, newClientOid: string): string
  /** @throws OrderIdMissingError */
  cancelFuturesOrder(ref: BodyOf<typeof bgFuturesCancelOrder>): OrderCall
  /** The ids that a bot chose and this kind of account rejects, as problems of their fields. */
  idProblems(ids: ChosenIds): FieldProblem[]

  /** Asks for the leverage that the account has set for an order's symbol. */
  leverageQuestion(order: FuturesOrder): UpstreamCall
  /**
   * Sets the leverage before an order; undefined when the order names none, or when the account has
   * that one.
   * @param data of the response to `leverageQuestion`
   */
  leverageChange(order: FuturesOrder, data: unknown): UpstreamCall | undefined
  /**
   * Sets the take profit and stop loss of the order's whole position; undefined when the order asks
   * for none.
   */
  positionStops(order: FuturesOrder): UpstreamCall | undefined

  spotOrder(calls: BitgetCalls, ref: QueryOf<typeof bgSpotOrderInfo>): Promise<ExchangeObject>
  spotHistory(calls: BitgetCalls, query: QueryOf<typeof bgSpotHistory>): Promise<ExchangeObject[]>
  futuresOrder(calls: BitgetCalls, ref: QueryOf<typeof bgFuturesDetail>): Promise<ExchangeObject>
  futuresHistory(
    calls: BitgetCalls,
    query: QueryOf<typeof bgFuturesHistory>,
  ): Promise<ExchangeObject[]>
  allPositions(calls: BitgetCalls, query: QueryOf<typeof bgAllPositions>): Promise<ExchangeObject[]>
  singlePosition(
    calls: BitgetCalls,
    query: QueryOf<typeof bgSinglePosition>,
  ): Promise<ExchangeObject[]>

  /** The account's id, which never changes. @throws ExchangeResponseUnclearError */
  accountId(calls: BitgetCalls): Promise<string>
  balances(
    calls: BitgetCalls,
    accountId: string,
    accountType: QueryOf<typeof bgGetAccountInfo>['accountType'],
  ): Promise<BgAccountRow[]>
}

export interface ChosenIds {
  readonly clientOid?: string | undefined
  readonly newClientOid?: string | undefined
}

/**
 * @param kind null while it is unknown: then the classic account, which takes every documented
 * client order id
 */
export function accountApiOf(kind: AccountKind | null): BitgetAccountApi {
  return kind === 'unified' ? unifiedApi : classicApi
}
