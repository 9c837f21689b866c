import { type EndedOrder, outcomeOf } from './order-key.ts'

export interface NotDone {
  readonly class: 'order-not-found' | 'order-state'
  /** In the gateway's own words: the exchange's were lost. */
  readonly text: string
}

/** Why an entry of a call about several orders was not carried out; undefined when it was. */
export function notDoneOf({ order, end }: EndedOrder): NotDone | undefined {
  if (outcomeOf(order, end) === 'done') return undefined
  const what = order.action === 'cancel' ? 'cancelled' : 'placed'
  const seen = end === 'absent' ? 'neither open nor in the history' : end.state
  return {
    class: order.action === 'cancel' && end !== 'absent' ? 'order-state' : 'order-not-found',
    text: `Not ${what}: the gateway lost the response and found the order ${seen}`,
  }
}
