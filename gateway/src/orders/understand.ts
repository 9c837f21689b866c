import type { UpstreamResponse } from '../exchanges/exchange.ts'
import { isOwnId, type OrderCall } from '../exchanges/order-lookup/order-key.ts'
import {
  closedBy,
  type EntryDoubt,
  entryDoubts,
  type OrderResult,
  resultsOf,
  resultsOfEnds,
} from '../exchanges/order-results.ts'
import { ExchangeResponseUnclearError } from '../exchanges/protocol/errors.ts'
import type { Rejection, RejectionClass } from '../exchanges/protocol/verdict.ts'
import type { JudgedResponse } from '../upstream/sign-and-send.ts'
import type { FoundOrders } from './look-up.ts'
import type { OrderSteps } from './order-request.ts'
import type { OrderEnding, OrderProgress } from './order-state.ts'
import { clientOrderIdOf } from './retries.ts'

/** What a response means for the order. */
export type Outcome<Result> =
  | {
      readonly kind: 'done'
      readonly result: Result
      readonly results: readonly OrderResult[]
      readonly wasFound: boolean
    }
  /** The exchange did nothing, and said why. */
  | {
      readonly kind: 'rejected'
      readonly rejection: Rejection
      readonly response: UpstreamResponse
    }
  /** The order may exist. */
  | { readonly kind: 'unknown'; readonly why: string; readonly cause?: unknown }

export function understand<Result>(
  { verdict, response }: JudgedResponse,
  order: OrderProgress,
  { call, order: key }: OrderCall,
  steps: Pick<OrderSteps<Result>, 'read'>,
): Outcome<Result> {
  if (verdict.kind === 'unknown') return { kind: 'unknown', why: verdict.why }
  const ownId = clientOrderIdOf(order.request)
  const doubt = entryDoubts(verdict, key).find(
    // The order under this id may be an earlier attempt that the exchange turned away but accepted
    // nevertheless.
    ({ kind, clientOrderId }) =>
      kind === 'unknown' || order.timesSent > 1 || isOwnId(clientOrderId, ownId),
  )
  if (doubt !== undefined) return { kind: 'unknown', why: DOUBTS[doubt.kind] }
  if (verdict.kind !== 'ok') return { kind: 'rejected', rejection: verdict.rejection, response }
  try {
    const result = steps.read(verdict.data, response)
    const results = key === undefined ? closedBy(call) : resultsOf(key, verdict.data)
    return { kind: 'done', result, results, wasFound: false }
  } catch (cause) {
    if (!(cause instanceof ExchangeResponseUnclearError)) throw cause
    return { kind: 'unknown', why: cause.message, cause }
  }
}

const DOUBTS: Readonly<Record<EntryDoubt['kind'], string>> = {
  duplicate: 'It has an order with this client order id already',
  unknown: 'It reports trouble of its own with one of the orders',
}

/** Temporary rejections: the same request may be accepted later. */
const MOMENTARY = new Set<RejectionClass>(['rate', 'maintenance', 'time', 'account-kind'])

export function isMomentary(rejection: Rejection): boolean {
  return MOMENTARY.has(rejection.class)
}

/** The final state of an order that the exchange rejected. */
export function endingOf(rejection: Rejection): OrderEnding {
  return isMomentary(rejection)
    ? { state: 'dropped', releasesKey: true }
    : { state: 'refused', releasesKey: false }
}

export type Done<Result> = Extract<Outcome<Result>, { kind: 'done' }>

/** What a look-up found, as the outcome of a request. */
export function doneBy<Result>(
  { key, ends, exchangeNowMs }: FoundOrders,
  steps: OrderSteps<Result>,
): Done<Result> {
  const result = steps.fromFound(key, ends, exchangeNowMs)
  return { kind: 'done', result, results: resultsOfEnds(key, ends), wasFound: true }
}

/** Whether the exchange did nothing because the account is of the other kind. */
export function isOfOtherKind<Result>(outcome: Outcome<Result>): boolean {
  return outcome.kind === 'rejected' && outcome.rejection.class === 'account-kind'
}

/** Why a call that may have been sent has no response. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no response came'
}
