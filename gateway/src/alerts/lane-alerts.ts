import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { LaneEvent } from '../lane/lane-types.ts'
import type { AlertBoard } from './alert-board.ts'

/** Raises and clears what the lanes tell of their exchanges. */
export function createLaneAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  return (exchange: ExchangeCode, event: LaneEvent): void => {
    const name = EXCHANGE_NAMES[exchange]
    switch (event.type) {
      case 'broken':
        raise(
          'exchange.broken',
          exchange,
          `${name} does not answer: five calls in a row failed. Requests are refused as not sent until it answers again`,
          { firstProbeInMs: event.forMs },
        )
        break
      case 'mended':
        clear('exchange.broken', exchange, `${name} answers again`)
        break
      case 'throttled':
        raise(
          'exchange.throttled',
          exchange,
          `${name} refused a call by its rate limit: nothing goes out for a while, then less than usual. Look for other programs on this address`,
          { pausedForMs: event.forMs },
        )
        break
      case 'recovered':
        clear('exchange.throttled', exchange, `${name} gets calls at the whole rate again`)
        break
      case 'stopped':
        raise(
          'exchange.stopped',
          exchange,
          `Nothing goes to ${name}: an administrator stopped it`,
          { reason: event.reason },
        )
        break
      case 'resumed':
        clear('exchange.stopped', exchange, `Requests go to ${name} again`)
        break
      case 'stuck':
        raise(
          'exchange.stuck',
          exchange,
          `Requests for ${name} wait, ${name} could take one, and none is sent. Restart the gateway`,
        )
        break
      case 'unstuck':
        clear('exchange.stuck', exchange, `Requests are sent to ${name} again`)
        break
      default:
    }
  }
}
