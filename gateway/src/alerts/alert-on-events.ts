import type { Events } from '../upstream/events.ts'
import type { Alerts } from './alerts.ts'

/** Subscribes the alerts to the events of lanes, calls and orders. */
export function alertOnEvents(
  events: Pick<Events, 'on'>,
  {
    lane,
    keyCalled,
    orders,
    limitReached,
    paceViolated,
    heartbeats,
  }: Pick<Alerts, 'lane' | 'keyCalled' | 'orders' | 'limitReached' | 'paceViolated' | 'heartbeats'>,
): void {
  events.on('lane', ({ exchange, event }) => lane(exchange, event))
  events.on('call', keyCalled)
  events.on('limitReached', limitReached)
  events.on('paceViolated', paceViolated)
  events.on('clientSilent', heartbeats.silent)
  events.on('clientHeard', heartbeats.heard)
  events.on('orderUnknown', orders.unknown)
  events.on('ordersRecovered', orders.recovered)
  events.on('orderNotLookedUp', orders.notLookedUp)
  events.on('orderResolved', orders.resolved)
}
