import { EXCHANGE_NAMES } from 'schema'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { RefusalClass } from '../exchanges/protocol/verdict.ts'
import { isNotSent, notSent } from '../lane/errors.ts'
import type { FinalState } from '../store/journal-store.ts'
import { OrderNotPreparedError, OutcomeUnknownError } from './errors.ts'
import type { TradeRequest } from './place-order.ts'

/** How far an order has come. */
export interface Course {
  readonly request: TradeRequest
  /** Its bytes may have gone out, and the exchange did not turn it away. */
  isSent: boolean
  wasFound: boolean
  /** What it can be looked up by; absent before it is sent, and where it names no order. */
  trace?: Pick<OrderKey, 'clientOrderId'> | undefined
  /** Why the exchange did nothing. */
  refusal?: RefusalClass
}

/** What is written down of its end. */
export interface End {
  readonly state: FinalState
  readonly releasesKey: boolean
}

/** Refusals of the moment: the exchange did nothing, and the same request may go through later. */
const MOMENTARY: ReadonlySet<RefusalClass> = new Set(['rate', 'maintenance', 'time'])

/** @param told the error that the caller is told, when it is one */
export function endOf({ isSent, wasFound, refusal }: Course, told?: unknown): End {
  const wasTurnedAway = refusal !== undefined && MOMENTARY.has(refusal)
  const isUnsent = told !== undefined && (!isSent || isNotSent(told)) && refusal === undefined
  if (wasTurnedAway || isUnsent) return { state: 'dropped', releasesKey: true }
  if (refusal !== undefined) return { state: 'refused', releasesKey: false }
  return { state: wasFound ? 'resolved' : 'answered', releasesKey: false }
}

/** Maps an error to what the caller sees. It always states whether the order may exist. */
export function toldOf(error: unknown, course: Course): unknown {
  const { request, isSent, refusal, trace } = course
  if (error instanceof OutcomeUnknownError || isNotSent(error)) return error
  if (error instanceof Error && refusal !== undefined)
    return MOMENTARY.has(refusal) ? notSent(error) : error
  if (isSent) {
    const isOurs = error instanceof Error && 'statusCode' in error
    const why = isOurs ? error.message : 'its response could not be understood'
    const exchange = EXCHANGE_NAMES[request.exchange]
    return new OutcomeUnknownError(exchange, why, trace, error)
  }
  if (!(error instanceof Error)) return error
  // Something before the order can be in doubt, the order itself is not.
  return 'sent' in error
    ? new OrderNotPreparedError(error.message, { cause: error })
    : notSent(error)
}
