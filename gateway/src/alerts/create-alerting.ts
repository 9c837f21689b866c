import type { FastifyBaseLogger } from 'fastify'
import { createAlertBoard } from './alert-board.ts'
import { type AlertsDeps, createAlerts } from './alerts.ts'
import { createWebhook, type WebhookOptions } from './webhook.ts'

export interface AlertingDeps extends Omit<AlertsDeps, 'board' | 'onError'> {
  /** Where alerts go to beside the log; undefined: nowhere. */
  readonly webhook: Pick<WebhookOptions, 'url' | 'secret'> | undefined
  readonly pausesMs: readonly number[] | undefined
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  /** What became of an alert that was to be sent. */
  readonly onSent: (end: 'delivered' | 'lost') => void
}

/** The alerts with what they are told to: the log, and the webhook when there is one. */
export function createAlerting({ webhook: target, pausesMs, log, onSent, ...deps }: AlertingDeps) {
  const webhook =
    target === undefined
      ? undefined
      : createWebhook({
          ...target,
          nowMs: deps.nowMs,
          pausesMs,
          onDelivered: () => onSent('delivered'),
          onLost: (alert, why) => {
            onSent('lost')
            log.error({ alert, why }, 'an alert could not be delivered')
          },
        })
  const board = createAlertBoard({
    nowMs: deps.nowMs,
    onChange: (alert) => {
      log.warn({ alert }, `alert ${alert.state}: ${alert.type}`)
      webhook?.send(alert)
    },
  })
  const alerts = createAlerts({
    ...deps,
    board,
    onError: (error) => log.error({ err: error }, 'checking for alerts failed'),
  })
  return {
    ...alerts,
    board,
    /** Looks no more, and gives what waits for the webhook a last short while. */
    async close(): Promise<void> {
      alerts.stop()
      await webhook?.close()
    },
  }
}
