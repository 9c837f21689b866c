import { Registry } from 'prom-client'
import { createAlertMetrics } from './alert-metrics.ts'
import { createHttpMetrics } from './http-metrics.ts'
import { createLaneMetrics } from './lane-metrics.ts'
import { createOrderMetrics } from './order-metrics.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { createStoreMetrics } from './store-metrics.ts'
import { createUpstreamMetrics } from './upstream-metrics.ts'

/**
 * Everything that is measured, in a registry of the app's own; the parts of the gateway report to it. Counting costs
 * a few microseconds. The plugin that shows it closes it.
 */
export function createMetrics(ratePerSecond: number) {
  const registry = new Registry()
  return {
    registry,
    http: createHttpMetrics(registry),
    lanes: createLaneMetrics(registry, ratePerSecond),
    upstream: createUpstreamMetrics(registry),
    orders: createOrderMetrics(registry),
    alerts: createAlertMetrics(registry),
    store: createStoreMetrics(registry),
    process: createProcessMetrics(registry),
  }
}
export type Metrics = ReturnType<typeof createMetrics>
