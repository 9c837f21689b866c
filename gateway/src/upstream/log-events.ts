import type { Events } from './events.ts'
import type { OperatorLog } from './operator-log.ts'

/** Logs the events that an operator should see. */
export function logEvents(events: Pick<Events, 'on'>, log: OperatorLog): void {
  events.on('lane', ({ event }) => {
    if (event.type === 'fault') log.error({ err: event.error, lane: event.lane }, 'lane fault')
    else log.warn(event, `lane ${event.type}`)
  })
  events.on('paceViolated', (violated) =>
    log.error(violated, 'more calls than the rate were sent within a second'),
  )
  events.on('clockNotMeasured', ({ exchange, error }) =>
    log.warn({ err: error, exchange }, 'exchange clock not measured'),
  )
  events.on('accountKindNotStored', ({ exchange, error }) =>
    log.warn({ err: error, exchange }, 'the kind of an account could not be stored'),
  )
  events.on('rulesNotRefreshed', ({ key, ageMs, error }) =>
    log.warn({ err: error, ...key, ageMs }, 'symbol rules could not be refreshed'),
  )
  events.on('orderResolved', ({ order: { id, exchange, clientId }, outcome }) => {
    if (outcome !== 'repeated')
      log.warn({ requestId: id, exchange, clientId, outcome }, 'unknown order outcome resolved')
  })
  // The request log has the other refusals, by their code.
  events.on('limitReached', ({ mode, ...reached }) => {
    if (mode === 'shadow') log.warn(reached, 'a limit in shadow mode would have refused a request')
    else if (reached.exchange === null) log.warn(reached, 'a limit refused a request')
  })
  events.on('lookUpFailed', ({ id, exchange, error }) =>
    log.warn({ err: error, requestId: id, exchange }, 'order not looked up yet'),
  )
  events.on('journalFailed', ({ id, error }) =>
    log.error({ err: error, requestId: id }, 'the outcome of an order could not be recorded'),
  )
  events.on('workingOrdersNotRead', ({ error, ...about }) =>
    log.warn({ err: error, ...about }, 'the open orders of a client could not be read'),
  )
  events.on('fillsNotRead', ({ error, ...about }) =>
    log.warn({ err: error, ...about }, "the fills of a client's orders could not be read"),
  )
  events.on('positionNotRead', ({ error, ...about }) =>
    log.warn({ err: error, ...about }, "a client's position or its mode could not be read"),
  )
  events.on('ordersNotValued', ({ clientRef, error }) =>
    log.warn({ err: error, clientRef }, 'orders of the last 24 hours could not be valued'),
  )
  events.on('clientSilent', (silent) =>
    log.warn(silent, 'no heartbeat came: the client is stopped, and its orders are cancelled'),
  )
  events.on('stopFailed', ({ scope, error }) =>
    log.error({ err: error, scope }, 'a stop could not be completed; the next start continues it'),
  )
  events.on('ownCancelFailed', ({ clientRef, error }) =>
    log.error(
      { err: error, clientRef },
      "a cancel of a client's own orders failed, or could not be stored or continued",
    ),
  )
  events.on('ordersRecovered', (counts) =>
    log.warn(
      counts,
      'the last stop left orders: queued ones were not sent, sent ones are being looked up',
    ),
  )
}
