import type { FastifyBaseLogger } from 'fastify'
import { createAlertBoard } from './alert-board.ts'
import { type AlertsDeps, createAlerts } from './alerts.ts'
import { type AuditHeadsDeps, sendAuditHeads } from './audit-heads.ts'
import { type KeptAlertsDeps, keepAlerts } from './kept-alerts.ts'
import { Webhook, type WebhookOptions } from './webhook.ts'

export interface AlertingDeps
  extends Omit<AlertsDeps, 'board' | 'facts' | 'keeping' | 'sendLeft' | 'onError'> {
  readonly facts: KeptAlertsDeps['facts']
  /** Where alerts are posted to; undefined: they are only logged. */
  readonly webhook: Pick<WebhookOptions, 'url' | 'secret'> | undefined
  readonly pausesMs: readonly number[] | undefined
  readonly auditHeads: Pick<AuditHeadsDeps, 'head' | 'everyMs'>
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  /** Whether an alert reached the receiver. */
  readonly onSent: (end: 'delivered' | 'lost') => void
}

/** Creates the alerts and connects them to the log and, if there is one, to the webhook. */
export function createAlerting(options: AlertingDeps) {
  const { webhook: target, pausesMs, log, onSent, auditHeads, ...deps } = options
  const keeping = keepAlerts({
    facts: deps.facts,
    nodeId: () => deps.self().nodeId,
    onError: (error) => log.error({ err: error }, 'which alerts are raised could not be stored'),
  })
  const webhook =
    target === undefined
      ? undefined
      : new Webhook({
          ...target,
          time: deps.time,
          pausesMs,
          kept: keeping.waiting,
          onDelivered: () => onSent('delivered'),
          onLost: (alert, why) => {
            onSent('lost')
            log.error({ alert, why }, 'an alert could not be delivered')
          },
        })
  const board = createAlertBoard({
    nowMs: () => deps.time.now(),
    onChange: (alert) => {
      log.warn({ alert }, `alert ${alert.state}: ${alert.type}`)
      webhook?.send(alert)
      if (isStarted) void keeping.save(board)
    },
  })
  let isStarted = false
  const alerts = createAlerts({
    ...deps,
    ...{ board, keeping },
    sendLeft: (left) => webhook?.sendKept(left),
    onError: (error) => log.error({ err: error }, 'checking for alerts failed'),
  })
  const heads =
    webhook === undefined
      ? undefined
      : sendAuditHeads({
          ...auditHeads,
          time: deps.time,
          send: (alert) => webhook.send(alert),
          onError: (error) => log.error({ err: error }, 'reading the audit trail failed'),
        })
  return {
    ...alerts,
    board,
    start(fence: number | undefined): void {
      isStarted = true
      alerts.start(fence)
      heads?.start()
    },
    /** Stops the checks, and gives the webhook so long for what is still queued. */
    async close(withinMs: number): Promise<void> {
      alerts.stop()
      heads?.stop()
      await webhook?.close(withinMs)
    },
  }
}
export type Alerting = ReturnType<typeof createAlerting>
