import type { Events } from '../../upstream/events.ts'
import type { Metrics } from './metrics.ts'

/** Subscribes the metrics to the events. */
export function measureEvents(
  events: Pick<Events, 'on'>,
  {
    lanes,
    upstream,
    orders,
    limits,
    heartbeats,
  }: Pick<Metrics, 'lanes' | 'upstream' | 'orders' | 'limits' | 'heartbeats'>,
): void {
  events.on('dispatch', ({ exchange, dispatch }) => lanes.dispatched(exchange, dispatch))
  events.on('paceViolated', lanes.violated)
  events.on('call', upstream.called)
  events.on('limitReached', limits.reached)
  events.on('clientSilent', heartbeats.missed)
  events.on('orderSettled', ({ order, state }) => orders.ended(order.exchange, state))
  events.on('orderResolved', ({ order, outcome }) => {
    if (outcome !== 'repeated') orders.ended(order.exchange, 'resolved')
  })
  // Orders that a restart found were already counted by the previous process.
  events.on('orderUnknown', ({ order, isRecovered, repeats }) => {
    if (!isRecovered && repeats.length === 0) orders.ended(order.exchange, 'unknown')
  })
}
