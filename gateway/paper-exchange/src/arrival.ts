import type { FastifyRequest } from 'fastify'
import type { Fault } from './faults.ts'
import type { ReceivedRequest } from './received.ts'

/** What is known of a request from its first moment. */
export interface Arrival {
  readonly received: ReceivedRequest
  /** What the exchange's clock shows to this request, ms. */
  readonly nowMs: number
  /** Null: the exchange behaves. Taken away once it has taken effect. */
  fault: Fault | null
}

export const ARRIVAL = 'arrival'

/**
 * @throws when the request did not come through the arrival hook, which is an error of this program
 */
export function arrivalOf(request: FastifyRequest): Arrival {
  const arrival = request.getDecorator<Arrival | null>(ARRIVAL)
  if (arrival === null) throw new Error('A request has passed the arrival hook by')
  return arrival
}
