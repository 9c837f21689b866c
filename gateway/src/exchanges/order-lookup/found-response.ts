import { bitgetAnswer } from '../bitget/find-order.ts'
import { bitgetSeveralData } from '../bitget/several-data.ts'
import { futuresAnswer } from '../mexc/find-order-futures.ts'
import { spotAnswer } from '../mexc/find-order-spot.ts'
import { futuresSeveralData, spotSeveralData } from '../mexc/several-data.ts'
import {
  type EndedOrder,
  type FoundOrder,
  type OrderEnd,
  type OrderKey,
  ordersOf,
} from './order-key.ts'

/**
 * The answer that the exchange would have given to the call that was carried out, in its own form:
 * for the documented readers as for bots that read it themselves.
 * @param ends what became of each order of the call, in their order; a single one was found
 * @param nowMs exchange time
 */
export function answerFor(
  trace: OrderKey,
  ends: readonly OrderEnd[],
  nowMs: number,
): { status: number; body: string } {
  return { status: 200, body: JSON.stringify(answerOf(trace, ends, nowMs)) }
}

/** The order that was found for a call about one. */
export function foundOf(ends: readonly OrderEnd[]): FoundOrder {
  const [found] = ends
  if (found === undefined || found === 'absent') throw new Error('There is no order to tell of')
  return found
}

function answerOf(trace: OrderKey, ends: readonly OrderEnd[], nowMs: number): object {
  if (trace.several !== undefined) return severalAnswer(trace, endedOf(trace, ends), nowMs)
  switch (trace.family) {
    case 'mexc-spot':
      return spotAnswer(trace, foundOf(ends), nowMs)
    case 'mexc-futures':
      return futuresAnswer(trace, foundOf(ends), nowMs)
    case 'bitget':
      return bitgetAnswer(trace, foundOf(ends), nowMs)
  }
}

function severalAnswer(
  { family, several }: OrderKey,
  ended: readonly EndedOrder[],
  nowMs: number,
): object {
  switch (family) {
    case 'mexc-spot':
      return spotSeveralData(ended)
    case 'mexc-futures':
      return { success: true, code: 0, data: futuresSeveralData(ended) }
    case 'bitget':
      return {
        code: '00000',
        msg: 'success',
        requestTime: nowMs,
        data: bitgetSeveralData(several, ended),
      }
  }
}

function endedOf(trace: OrderKey, ends: readonly OrderEnd[]): EndedOrder[] {
  return ordersOf(trace).map((order, index) => ({ order, end: ends[index] ?? 'absent' }))
}
