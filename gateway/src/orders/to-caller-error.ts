import { isNotSent, notSent } from '../lane/errors.ts'
import {
  CancelIncompleteError,
  OrderNotPreparedError,
  OutcomeUnknownError,
  RequestWithdrawnError,
} from './errors.ts'
import { keyIn, type OrderProgress } from './order-state.ts'

/** Maps an error to what the caller sees. It always states whether the order may exist. */
export function toCallerError(
  error: unknown,
  { state }: OrderProgress,
  exchangeName: string,
  signal: AbortSignal | undefined,
): unknown {
  if (error instanceof OutcomeUnknownError || error instanceof CancelIncompleteError) return error
  if (state.name === 'queued' || state.name === 'unsent') {
    if (signal?.reason instanceof RequestWithdrawnError) return signal.reason
    if (!(error instanceof Error) || isNotSent(error)) return error
    // A step before the order may have an unknown outcome; the order itself was not sent.
    return 'sent' in error
      ? new OrderNotPreparedError(error.message, { cause: error })
      : notSent(error)
  }
  const why = error instanceof Error && 'statusCode' in error ? error.message : NOT_UNDERSTOOD
  return new OutcomeUnknownError(exchangeName, why, keyIn(state), error)
}

const NOT_UNDERSTOOD = 'its response could not be understood'
