import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { AlertBoard } from './alert-board.ts'

/** It has ended after this long without another one. */
const QUIET_MS = 10 * 60_000

export interface PaceAlertsDeps {
  readonly board: Pick<AlertBoard, 'raise' | 'clear' | 'raised'>
  readonly nowMs: () => number
}

/** More calls than the rate within a second, which the lane promises never to send. */
export function createPaceAlerts({ board, nowMs }: PaceAlertsDeps) {
  const violatedAtMs = new Map<string, number>()

  return {
    violated({ exchange, ratePerSecond }: { exchange: ExchangeCode; ratePerSecond: number }): void {
      violatedAtMs.set(exchange, nowMs())
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
        if (nowMs() - (violatedAtMs.get(subject) ?? raisedAtMs) > QUIET_MS)
          board.clear('pace.violation', subject, 'The rate was kept for ten minutes')
    },
  }
}
