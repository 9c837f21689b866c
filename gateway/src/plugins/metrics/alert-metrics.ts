import { Counter, Gauge, type Registry } from 'prom-client'
import { ALERT_TYPES } from '../../alerts/alert.ts'
import type { AlertBoard } from '../../alerts/alert-board.ts'

/** Raised alerts, and deliveries to the webhook. */
export function createAlertMetrics(registry: Registry) {
  const raised = new Gauge({
    name: 'sluice_alerts_raised',
    help: 'Active alerts, by type',
    labelNames: ['type'] as const,
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'sluice_alert_deliveries_total',
    help: 'Alerts for the webhook by result: delivered, or lost after all attempts',
    labelNames: ['result'] as const,
    registers: [registry],
  })
  for (const result of ['delivered', 'lost'] as const) deliveries.inc({ result }, 0)

  return {
    ended: (result: 'delivered' | 'lost') => deliveries.inc({ result }),

    refresh(board: Pick<AlertBoard, 'raised'>): void {
      for (const type of ALERT_TYPES) raised.set({ type }, board.raised(type).length)
    },
  }
}
