import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { LaneEvent } from '../lane/lane-types.ts'
import type { AlertBoard } from './alert-board.ts'

type Board = Pick<AlertBoard, 'raise' | 'clear' | 'raised'>

/** Raises and clears alerts for the states of the lanes. */
export function reportLane(board: Board, exchange: ExchangeCode, event: LaneEvent): void {
  const { raise, clear } = board
  const name = EXCHANGE_NAMES[exchange]
  switch (event.type) {
    case 'account-broken':
    case 'account-mended':
      reportAccount(board, exchange, event)
      break
    case 'broken':
      // The exchange is the reason, and its accounts start anew.
      for (const { subject } of board.raised('exchange.account-broken'))
        if (subject.startsWith(`${exchange}/`))
          clear('exchange.account-broken', subject, `The calls of all clients fail at ${name}`)
      raise(
        'exchange.broken',
        exchange,
        `Five calls to ${name} in a row failed: it does not respond, or it responds with errors. Requests are rejected as not sent until one succeeds`,
        { firstProbeInMs: event.forMs },
      )
      break
    case 'mended':
      clear('exchange.broken', exchange, `A call to ${name} succeeded again`)
      break
    case 'throttled':
      raise(
        'exchange.throttled',
        exchange,
        `${name} rejected a call because of its rate limit: the gateway pauses, then sends at a lower rate. Look for other programs that use this address`,
        { pausedForMs: event.forMs },
      )
      break
    case 'recovered':
      clear('exchange.throttled', exchange, `The full rate for ${name} is restored`)
      break
    case 'stopped':
      // A restore stops exchanges too: the reason says who did, and why.
      raise(
        'exchange.stopped',
        exchange,
        `All requests to ${name} are stopped until an administrator resumes them: ${event.reason}`,
        { reason: event.reason },
      )
      break
    case 'resumed':
      clear('exchange.stopped', exchange, `An administrator resumed requests to ${name}`)
      break
    case 'stuck':
      raise(
        'exchange.stuck',
        exchange,
        `Requests for ${name} are queued and could be sent, but none is. Restart the gateway`,
      )
      break
    case 'unstuck':
      clear('exchange.stuck', exchange, `Requests are sent to ${name} again`)
      break
    default:
  }
}

/** The state of a client's signed calls. Public ones may fail for what the client asks for. */
function reportAccount(
  { raise, clear }: Board,
  exchange: ExchangeCode,
  event: Extract<LaneEvent, { type: 'account-broken' | 'account-mended' }>,
): void {
  if (!event.isSigned) return
  const name = EXCHANGE_NAMES[exchange]
  const { clientId } = event
  const subject = `${exchange}/${clientId}`
  if (event.type === 'account-mended')
    clear(
      'exchange.account-broken',
      subject,
      `${name} responds to the calls of "${clientId}" again`,
    )
  else
    raise(
      'exchange.account-broken',
      subject,
      `Five calls in a row from "${clientId}" failed at ${name}; other clients are fine. Its requests are rejected as not sent until one succeeds`,
      { exchange, clientId, firstProbeInMs: event.forMs },
    )
}

/** It has ended after this long without another one. */
const QUIET_MS = 10 * 60_000

/** More calls than the rate within a second, which the lane promises never to send. */
export function createPaceAlerts(board: Board & Pick<AlertBoard, 'nowMs'>) {
  const violatedAtMs = new Map<string, number>()

  return {
    violated({ exchange, ratePerSecond }: { exchange: ExchangeCode; ratePerSecond: number }): void {
      violatedAtMs.set(exchange, board.nowMs())
      board.raise(
        'pace.violation',
        exchange,
        `More than ${ratePerSecond} calls went to ${EXCHANGE_NAMES[exchange]} within a second. This is a bug of the gateway: keep its log and report it. If the exchange rejects calls, stop it on the Operations page`,
        { exchange, ratePerSecond },
      )
    },

    /** Called every minute. */
    check(): void {
      for (const { subject, raisedAtMs } of board.raised('pace.violation'))
        if (board.nowMs() - (violatedAtMs.get(subject) ?? raisedAtMs) > QUIET_MS)
          board.clear('pace.violation', subject, 'The rate was kept for ten minutes')
    },
  }
}
