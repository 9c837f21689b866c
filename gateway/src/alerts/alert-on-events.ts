import type { Events } from '../upstream/events.ts'
import type { Alerts } from './alerts.ts'

/** Subscribes the alerts to the events of lanes, calls and orders. */
export function alertOnEvents(events: Pick<Events, 'on'>, alerts: Alerts): void {
  const { orders, heartbeats } = alerts
  events.on('lane', ({ exchange, event }) => alerts.lane(exchange, event))
  events.on('call', alerts.keyCalled)
  events.on('limitReached', alerts.limitReached)
  events.on('paceViolated', alerts.paceViolated)
  events.on('clientSilent', heartbeats.silent)
  events.on('clientHeard', heartbeats.heard)
  events.on('orderUnknown', orders.unknown)
  events.on('ordersRecovered', orders.recovered)
  events.on('orderNotLookedUp', orders.notLookedUp)
  events.on('orderResolved', orders.resolved)
  events.on('clientDeleted', alerts.clientDeleted)
}
